"""`colonnade quantize`: files of other types that load and answer, and what is refused."""

import os
import pathlib
import resource
import signal
import unittest

from command import ROOT, CommandTest, scratch, tiny_model

TYPES = ("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1")


def output(name):
    return str(scratch() / name)


class Quantize(CommandTest):
    def answer(self, model):
        words = ("run", "-m", model, "-p", "Hello world", "-n", "8", "--temp", "0", "--precision", "f32", "--ignore-eos")
        return self.ok_json(*words)

    def test_every_type_is_written_described_and_answers(self):
        for kind in TYPES:
            with self.subTest(kind=kind):
                path = output(f"{kind}.gguf")
                page = self.ok("quantize", "-m", tiny_model(), "--type", kind.lower(), "-o", path).decode()
                self.assertIn(f" -> {path}\n", page)
                self.assertRegex(page, r"size [\d.]+ MB -> [\d.]+ MB, [\d.]+ bits per weight")
                description = self.ok_json("info", "-m", path)
                self.assertLessEqual(set(description["types"]), {kind, "F32"})
                self.answer(path)

    def test_wider_numbers_mean_the_same_and_choose_the_same_tokens(self):
        path = output("wide.gguf")
        self.ok("quantize", "-m", tiny_model(), "--type", "F32", "-o", path)
        self.assertEqual(self.answer(path)["text"], self.answer(tiny_model())["text"])

    def test_a_hugging_face_folder_becomes_a_file_with_its_answer(self):
        for family in ("gemma2_plain", "gpt2", "phi3", "qwen3_moe"):
            with self.subTest(family=family):
                model, path = str(ROOT / "tests/data/families" / family), output(f"{family}.gguf")
                self.ok("quantize", "-m", model, "--type", "F32", "-o", path)
                self.assertEqual(self.answer(path)["tokens"], self.answer(model)["tokens"])

    def test_json_lists_every_tensor(self):
        path = output("listed.gguf")
        report = self.ok_json("quantize", "-m", tiny_model(), "--type", "Q4_0", "--embedding-type", "Q8_0", "-o", path)
        self.assertEqual(report["file_bytes_after"], pathlib.Path(path).stat().st_size)
        types = {tensor["name"]: tensor["to"] for tensor in report["tensors"]}
        self.assertEqual(types["token_embd.weight"], "Q8_0")
        self.assertEqual(types["blk.0.ffn_up.weight"], "Q4_0")
        self.assertEqual(types["output_norm.weight"], "F32")

    def test_what_is_missing_is_named(self):
        self.assertIn("--type: expected one of F32,", self.fails(2, "quantize", "-m", "x", "-o", "y"))
        self.assertIn("--output: expected", self.fails(2, "quantize", "-m", "x", "--type", "Q4_0"))
        self.assertIn("--model: expected", self.fails(2, "quantize", "--type", "Q4_0", "-o", "y"))
        self.assertIn("--type: expected F32|F16", self.fails(2, "quantize", "-m", "x", "--type", "Q4_K", "-o", "y"))
        self.assertIn("no such file", self.fails(1, "quantize", "-m", "/no/model", "--type", "Q4_0", "-o", output("y")))

    def test_the_model_itself_is_not_overwritten(self):
        model = tiny_model()
        self.assertIn("is a file of the model", self.fails(1, "quantize", "-m", model, "--type", "F16", "-o", model))

    def test_a_full_disk_is_told_before_the_work_and_nothing_is_left(self):
        folder = scratch() / "small-disk"
        folder.mkdir()

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))

        words = ("quantize", "-m", tiny_model(), "--type", "F32", "-o", str(folder / "big.gguf"))
        message = self.fails(1, *words, preexec_fn=limit, restore_signals=False)
        self.assertRegex(message, r"big\.gguf: no room for \d+ bytes: File too large")
        self.assertEqual(os.listdir(folder), [])

    def test_a_broken_model_leaves_the_former_output_alone(self):
        path = pathlib.Path(output("kept.gguf"))
        path.write_text("before")
        broken = scratch() / "broken.gguf"
        broken.write_bytes(pathlib.Path(tiny_model()).read_bytes()[:5000])
        self.fails(1, "quantize", "-m", str(broken), "--type", "F16", "-o", str(path))
        self.assertEqual(path.read_text(), "before")


if __name__ == "__main__":
    unittest.main()
