"""Hugging Face folders as users have them: by path, by name among downloads, and with what goes wrong there."""

import json
import shutil
import unittest

from command import ROOT, CommandTest, call, scratch

FAMILIES = ROOT / "tests/data/families"
RUN = ("-p", "Once upon", "--max-tokens", "6", "--temp", "0", "--threads", "1")


class HfFolder(CommandTest):
    def folder(self, family):
        """A copy of a family's Hugging Face form that a test may damage."""
        path = scratch() / self.id() / family
        shutil.copytree(FAMILIES / family, path, ignore=shutil.ignore_patterns("*.gguf", "golden.json", "*.other_form.json"))
        return path

    def download(self, family, name, commit):
        """The model as downloads lie in the cache: blobs, a snapshot of links to them, a branch. Returns HF_HOME."""
        home = scratch() / self.id() / "home"
        model = home / "hub" / ("models--" + name.replace("/", "--"))
        for folder in ("blobs", "refs", f"snapshots/{commit}"):
            (model / folder).mkdir(parents=True)
        (model / "refs/main").write_text(commit)
        for file in self.folder(family).iterdir():
            shutil.copy(file, model / "blobs" / file.name)
            (model / "snapshots" / commit / file.name).symlink_to(f"../../blobs/{file.name}")
        return home

    def test_the_folder_and_each_of_its_files_give_the_same_answer(self):
        folder = self.folder("mistral")
        answer = self.ok("run", "-m", folder, *RUN)
        for name in ("config.json", "model.safetensors.index.json", "model-00002-of-00003.safetensors"):
            self.assertEqual(self.ok("run", "-m", folder / name, *RUN), answer, name)

    def test_a_downloaded_model_is_found_by_its_name(self):
        home = self.download("llama", "acme/tiny", "abc123")
        env = {"HF_HOME": str(home), "HF_HUB_CACHE": "", "HUGGINGFACE_HUB_CACHE": ""}
        answer = self.ok("run", "-m", FAMILIES / "llama" / "model.safetensors", *RUN)
        for name in ("acme/tiny", "acme/tiny@main", "acme/tiny@abc123"):
            self.assertEqual(self.ok("run", "-m", name, *RUN, env=env), answer)
        self.assertIn("which holds: acme/tiny", self.fails(1, "run", "-m", "acme/other", *RUN, env=env))
        self.assertIn("which holds: abc123", self.fails(1, "run", "-m", "acme/tiny@v2", *RUN, env=env))
        (home / "hub/models--acme--tiny/blobs/model.safetensors").unlink()
        self.assertIn("the download is not complete", self.fails(1, "run", "-m", "acme/tiny", *RUN, env=env))

    def test_quantized_weights_of_mlx_give_the_same_answer_at_any_number_of_ranks(self):
        for family in ("llama_mlx_mixed", "llama_mlx_floats", "gpt_oss_mxfp4"):
            folder = self.folder(family)
            answer = self.ok("run", "-m", folder, *RUN)
            self.assertEqual(self.ok("run", "-m", folder, *RUN, "--tp", "2"), answer, family)

    def test_a_missing_file_a_file_cut_short_and_other_things_in_its_place_are_named(self):
        folder = self.folder("mistral")
        last = folder / "model-00003-of-00003.safetensors"
        whole = last.read_bytes()
        last.write_bytes(whole[:-1000])
        message = self.fails(1, "run", "-m", folder, *RUN)
        self.assertIn(last.name, message)
        self.assertIn("1000 bytes are missing", message)
        last.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
        self.assertIn(f"{last.name}: expected a safetensors file; this is a Git LFS pointer", self.fails(1, "run", "-m", folder, *RUN))
        last.unlink()
        self.assertIn(f"1 is not there: '{last.name}'", self.fails(1, "run", "-m", folder, *RUN))

    def test_an_index_that_is_older_than_its_files_loads_with_a_warning(self):
        folder = self.folder("mistral")
        answer = self.ok("run", "-m", folder, *RUN)
        path = folder / "model.safetensors.index.json"
        index = json.loads(path.read_text())
        first, last = (f"model-0000{number}-of-00003.safetensors" for number in (1, 3))
        moved = next(tensor for tensor, file in index["weight_map"].items() if file == first)
        index["weight_map"][moved] = last
        path.write_text(json.dumps(index))
        (folder / "extra.safetensors").write_bytes(b"no safetensors file")
        result = call("run", "-m", folder, *RUN)
        self.assertEqual((result.returncode, result.stdout), (0, answer))
        self.assertIn(f"tensors in another file than it says (1): '{moved}'", result.stderr.decode())

    def test_a_tensor_that_is_renamed_is_named(self):
        folder = self.folder("llama")
        path = folder / "model.safetensors"
        data = path.read_bytes()
        self.assertIn(b"model.norm.weight", data)
        path.write_bytes(data.replace(b"model.norm.weight", b"model.morn.weight"))
        self.assertIn("norm", self.fails(1, "run", "-m", folder, *RUN))

    def test_pytorch_files_are_refused_with_what_to_do(self):
        folder = self.folder("llama")
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
        message = self.fails(1, "run", "-m", folder, *RUN)
        self.assertIn("pytorch_model.bin", message)
        self.assertIn("convert it with transformers", message)


if __name__ == "__main__":
    unittest.main()
