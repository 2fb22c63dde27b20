"""`colonnade shard`: one file per rank, and commands that load them."""

import os
import pathlib
import unittest

from command import ROOT, CommandTest, scratch, tiny_model


class Shard(CommandTest):
    def cut(self, name, *words):
        folder = str(scratch() / name)
        self.ok("shard", "-m", tiny_model(), "-o", folder, *words)
        return folder

    def answer(self, *words):
        return self.ok_json("run", "-p", "Hello world", "-n", "8", "--temp", "0", "--ignore-eos", "-t", "1", *words)

    def test_the_files_of_two_ranks_answer_as_the_model_on_any_number_of_ranks(self):
        folder = self.cut("in-2", "--tp", "2")
        names = sorted(os.listdir(folder))
        self.assertEqual([name[-17:] for name in names], ["-rank-0-of-2.gguf", "-rank-1-of-2.gguf"])
        expected = self.answer("-m", tiny_model())["tokens"]
        for ranks in ("1", "2", "3"):
            self.assertEqual(self.answer("-m", folder, "--tp", ranks)["tokens"], expected)
        one_file = str(pathlib.Path(folder) / names[1])
        self.assertEqual(self.answer("-m", one_file, "--tp", "2")["tokens"], expected)

    def test_a_hugging_face_folder_is_cut_planned_and_verified(self):
        model = str(ROOT / "tests/data/families/gemma2")
        folder = str(scratch() / "gemma2-in-3")
        self.ok("shard", "-m", model, "--tp", "3", "-o", folder)
        self.assertEqual(sorted(os.listdir(folder))[0], "gemma2-rank-0-of-3.gguf")
        expected = self.answer("-m", model)["tokens"]
        self.assertEqual(self.answer("-m", folder, "--tp", "3")["tokens"], expected)
        self.assertEqual(self.answer("-m", folder, "--tp", "2")["tokens"], expected)
        self.assertIn("3 ranks, shares equal", self.ok("plan", "-m", folder, "--tp", "3").decode())
        self.assertIn("pass: 3 ranks have the bits of one", self.ok("verify", "-m", folder, "--tp", "3").decode())

    def test_what_was_written_is_printed(self):
        folder = str(scratch() / "printed")
        page = self.ok("shard", "-m", tiny_model(), "--tp", "2", "--shares", "3,1", "-o", folder).decode()
        self.assertIn("-> 2 files\n  rank 0", page)
        report = self.ok_json("shard", "-m", tiny_model(), "--tp", "2", "--shares", "3,1", "-o", folder)
        sizes = [pathlib.Path(file["path"]).stat().st_size for file in report["files"]]
        self.assertEqual(sizes, [file["bytes"] for file in report["files"]])
        self.assertGreater(sizes[0], sizes[1])

    def test_info_describes_the_whole_and_says_that_it_is_cut(self):
        folder = self.cut("described", "--tp", "2")
        self.assertIn("cut           into 2 files, one per rank", self.ok("info", "-m", folder).decode())
        whole, cut = self.ok_json("info", "-m", tiny_model()), self.ok_json("info", "-m", folder)
        self.assertEqual((whole["rank_files"], cut["rank_files"]), (0, 2))
        for field in ("parameters", "vocab", "layers", "types"):
            self.assertEqual(cut[field], whole[field])

    def test_a_file_that_is_missing_or_broken_is_named(self):
        folder = pathlib.Path(self.cut("broken", "--tp", "3"))
        last = sorted(folder.iterdir())[2]
        last.write_bytes(last.read_bytes()[:5000])
        self.assertIn(str(last), self.fails(1, "run", "-m", str(folder), "-p", "x"))
        last.unlink()
        self.assertIn(f"{last}: the file of rank 2 of 3 is missing", self.fails(1, "run", "-m", str(folder), "-p", "x"))

    def test_what_is_wrong_on_the_command_line_is_named(self):
        self.assertIn("--tp: expected the number of ranks", self.fails(2, "shard", "-m", "x", "-o", "y"))
        self.assertIn("--output: expected a folder", self.fails(2, "shard", "-m", "x", "--tp", "2"))
        shares = ("shard", "-m", "x", "-o", "y", "--tp", "2", "--shares")
        self.assertIn("--shares: auto", self.fails(2, *shares, "auto"))
        self.assertIn("--shares: expected one for each", self.fails(2, *shares, "1,2,3"))
        folder = str(scratch() / "none")
        self.assertIn("--tp:", self.fails(2, "shard", "-m", tiny_model(), "-o", folder, "--tp", "100000"))


if __name__ == "__main__":
    unittest.main()
