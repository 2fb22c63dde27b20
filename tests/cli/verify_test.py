"""colonnade verify: ranks against one rank, and receipts of runs."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import unittest

from command import COLONNADE, CommandTest, call, real_model, scratch, tiny_model


class VerifyTest(CommandTest):
    def last_line(self, code, *words, **options):
        """The last line of standard output of a call that ends with `code`."""
        result = call("verify", *words, **options)
        self.assertEqual(result.returncode, code, result.stderr.decode(errors="replace"))
        return result.stdout.decode().splitlines()[-1]


class Ranks(VerifyTest):
    def test_one_to_five_ranks_have_the_bits_of_one(self):
        for ranks in range(1, 6):
            line = self.last_line(0, "-m", tiny_model(), "--tp", str(ranks), "-t", "1")
            self.assertRegex(line, rf"^pass: {ranks} ranks? ha(s|ve) the bits of one \(int8, int15, f32; 9 prompts, 144 steps")

    def test_other_kinds_of_models_and_cuts_pass(self):
        for model, words in (
            (tiny_model("--type", "q4_k_m"), ("--tp", "3", "--shares", "3,1,2")),
            (tiny_model("--arch", "qwen2", "--ffn", "160", "--type", "q5_0"), ("--tp", "4", "--ranks-as", "threads")),
            (tiny_model("--untied", "--type", "f16"), ("--tp", "2", "--chunk", "7", "--cache-type", "bf16")),
        ):
            with self.subTest(words=words):
                self.assertIn("pass: ", self.last_line(0, "-m", model, "-n", "4", *words))

    def test_without_a_number_of_ranks_two_are_compared(self):
        self.assertEqual(self.ok_json("verify", "-m", tiny_model(), "-n", "2")["ranks"], 2)

    def test_ranks_of_other_instruction_sets_pass(self):
        words = ("verify", "-m", tiny_model(), "--tp", "2", "-n", "4", "--precision", "int8")
        report = self.ok_json(*words, env={"COLONNADE_ISA": "scalar,avx2"})
        self.assertIn("scalar", report["devices"][0])
        self.assertIn("avx2", report["devices"][0])

    def test_the_object_has_the_documented_fields(self):
        report = self.ok_json("verify", "-m", tiny_model(), "--tp", "3", "-n", "3")
        self.assertIs(report["pass"], True)
        self.assertEqual((report["ranks"], report["vocab"]), (3, 640))
        self.assertEqual(len(report["devices"]), 2)
        self.assertEqual([result["precision"] for result in report["results"]], ["int8"] * 3 + ["int15"] * 3 + ["f32"] * 3)
        self.assertEqual([result["prompt_tokens"] for result in report["results"][:3]], [1, 65, 300])
        for result in report["results"]:
            self.assertEqual((result["steps"], result["pass"], result["difference"]), (3, True, None))

    def test_a_prompt_of_the_users_is_the_only_one(self):
        path = scratch() / "verify.txt"
        path.write_text("one two three")
        for words, stdin in ((("-p", "one two three"), b""), (("-f", str(path)), b""), (("-f", "-"), b"one two three")):
            report = self.ok_json("verify", "-m", tiny_model(), "--precision", "f32", "-n", "2", *words, stdin=stdin)
            (result,) = report["results"]
            self.assertEqual((result["precision"], result["steps"], result["pass"]), ("f32", 2, True))
            self.assertGreater(result["prompt_tokens"], 3)

    def test_a_short_context_has_shorter_prompts(self):
        report = self.ok_json("verify", "-m", tiny_model("--context", "80"), "-n", "4", "--precision", "int8")
        self.assertEqual([result["prompt_tokens"] for result in report["results"]], [1, 65, 76])

    def test_what_cannot_be_verified_names_the_flag(self):
        model = tiny_model()
        for words, part in (
            ((), "--model"),
            (("-m", model, "-n", "0"), "--max-tokens"),
            (("-m", model, "-n", "2048"), "--max-tokens"),
            (("-m", tiny_model("--context", "1000000"), "-n", "200000"), "--max-tokens"),
            (("-m", model, "--precision", "int4"), "--precision"),
            (("-m", model, "--tp", "100000"), "--tp"),
            (("-m", model, "--tp", "2", "--shares", "1"), "--shares"),
            (("-m", model, "-p", ""), "empty"),
            (("-m", model, "-p", "a " * 3000), "2048"),
            (("-m", model, "-p", "a", "-f", "b"), "--prompt and --file"),
            (("-m", model, "stray"), "stray"),
        ):
            with self.subTest(words=words):
                self.assertIn(part, self.fails(2, "verify", *words))
        self.fails(1, "verify", "-m", str(scratch() / "absent.gguf"))

    def test_a_real_model_passes(self):
        for ranks in ("2", "3"):
            line = self.last_line(0, "-m", real_model(), "--tp", ranks, "-n", "3")
            self.assertIn("9 prompts, 27 steps of 49152 logits", line)

    def test_ctrl_c_ends_it_with_130(self):
        words = [COLONNADE, "verify", "-m", tiny_model("--context", "1000000"), "--tp", "2", "-n", "100000", "-p", "a", "--json"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        status = pathlib.Path(f"/proc/{process.pid}/status")
        while "SigCgt:\t0000000000000000" in status.read_text():
            pass
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], b"")
        self.assertEqual(process.returncode, 130)


class Receipts(VerifyTest):
    def receipt(self, name, *words, model=None):
        """A receipt of a run of eight tokens, and its path."""
        path = scratch() / f"{name}.json"
        common = ("run", "-m", model or tiny_model(), "-p", "hello", "-n", "8", "--ignore-eos", "--receipt", str(path))
        answer = self.ok_json(*common, *words)
        receipt = json.loads(path.read_text())
        self.assertEqual([step["token"] for step in receipt["steps"]], answer["tokens"])
        return receipt, path

    def test_it_says_what_the_run_was(self):
        receipt, _ = self.receipt("fields", "--tp", "3", "--shares", "3,1,2", "--seed", "7", "--choice", "1", "--temp", "0.7")
        (file,) = receipt["model"]["files"]
        data = pathlib.Path(tiny_model()).read_bytes()
        self.assertEqual(file, {"name": os.path.basename(tiny_model()), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
        self.assertEqual((receipt["precision"], receipt["cache_type"]), ("int8", "bf16"))
        sampling = receipt["sampling"]
        self.assertEqual((sampling["temperature"], sampling["seed"], sampling["choice"]), (0.7, 7, 1))
        self.assertEqual((receipt["ran_on"]["ranks"], receipt["ran_on"]["shares"]), (3, [3, 1, 2]))
        self.assertEqual(receipt["numerics"], self.ok_json("info")["numerics"])

    def test_its_digests_are_those_of_the_logits(self):
        logits = scratch() / "of_receipt.safetensors"
        receipt, _ = self.receipt("digests", "--seed", "3", "--logits", str(logits))
        data = logits.read_bytes()[-8 * 640 * 4 :]
        rows = [data[at : at + 640 * 4] for at in range(0, len(data), 640 * 4)]
        self.assertEqual([step["logits_sha256"] for step in receipt["steps"]], [hashlib.sha256(row).hexdigest() for row in rows])

    def test_a_receipt_of_three_ranks_holds_for_any_number_and_every_instruction_set(self):
        for number, words in enumerate((("--temp", "0"), ("--seed", "5"), ("--temp", "1.5", "--repeat-penalty", "1.2", "--logit-bias", "3-inf"))):
            _, path = self.receipt(f"three{number}", "--tp", "3", "-t", "1", *words)
            for ranks in ("1", "2", "5"):
                line = self.last_line(0, "--receipt", str(path), "-m", tiny_model(), "--tp", ranks, "-t", "1")
                self.assertIn("the bits of the receipt (weights and numerics, 8 tokens and the 640 logits of each)", line)
            self.assertIn("pass: ", self.last_line(0, "--receipt", str(path), env={"COLONNADE_ISA": "scalar"}))

    def test_a_fresh_seed_is_part_of_it(self):
        _, path = self.receipt("fresh", "--temp", "2", "--top-k", "0", "--min-p", "0", "--top-p", "1")
        self.assertIn("pass: ", self.last_line(0, "--receipt", str(path)))

    def test_a_receipt_of_a_real_model_holds_in_the_scalar_build(self):
        path = scratch() / "real.json"
        self.ok("run", "-m", real_model(), "-p", "Once upon a time", "-n", "4", "--tp", "3", "--precision", "int15", "--receipt", str(path))
        report = self.ok_json("verify", "--receipt", str(path), "-m", real_model(), "--tp", "1", env={"COLONNADE_ISA": "scalar"})
        self.assertEqual((report["pass"], report["equal_steps"], report["ranks"]), (True, 4, 1))
        self.assertIn("scalar", report["device"])

    def test_the_model_is_found_beside_the_receipt_or_here(self):
        _, path = self.receipt("beside")
        self.assertIn("pass: ", self.last_line(0, "--receipt", str(path)))
        away = scratch() / "away"
        away.mkdir()
        moved = away / "receipt.json"
        moved.write_bytes(path.read_bytes())
        self.assertIn("--model", self.fails_behind_title(2, "--receipt", str(moved)))
        self.assertIn("pass: ", self.last_line(0, "--receipt", str(moved), cwd=scratch()))

    def fails_behind_title(self, code, *words, **options):
        result = call("verify", *words, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr.decode()

    def doctored(self, change):
        receipt, _ = self.receipt("doctored", "--seed", "1")
        change(receipt)
        path = scratch() / "changed.json"
        path.write_text(json.dumps(receipt))
        return str(path)

    def test_the_first_step_that_differs_is_named(self):
        def token(receipt):
            receipt["steps"][5]["token"] ^= 1

        def logits(receipt):
            receipt["steps"][3]["logits_sha256"] = "0" * 64

        path = self.doctored(token)
        self.assertIn("fail: step 5: expected token", self.last_line(1, "--receipt", path, "--tp", "2"))
        path = self.doctored(logits)
        self.assertIn(f"fail: step 3: expected logits with SHA-256 {'0' * 64}, got", self.last_line(1, "--receipt", path))
        report = json.loads(self.last_line(1, "--receipt", path, "--json"))
        self.assertEqual((report["pass"], report["equal_steps"]), (False, 3))
        self.assertEqual((report["failure"]["what"], report["failure"]["step"]), ("logits", 3))

    def test_another_precision_seed_or_prompt_is_noticed(self):
        for field, change in (
            ("logits", lambda receipt: receipt.update(precision="int15")),
            ("logits", lambda receipt: receipt.update(cache_type="f32")),
            ("logits", lambda receipt: receipt["prompt_ids"].append(5)),
            ("token", lambda receipt: receipt["sampling"].update(seed=2, temperature=50, top_k=0, min_p=0)),
        ):
            report = json.loads(self.last_line(1, "--receipt", self.doctored(change), "--json"))
            self.assertEqual(report["failure"]["what"], field)

    def test_other_weights_and_other_arithmetic_are_told_apart_from_other_bits(self):
        other = scratch() / "other_weights.gguf"
        data = bytearray(pathlib.Path(tiny_model()).read_bytes())
        data[-1] ^= 1
        other.write_bytes(data)
        path = self.doctored(lambda receipt: None)
        line = self.last_line(1, "--receipt", path, "-m", str(other))
        for part in ("fail: weights: expected", hashlib.sha256(data).hexdigest(), "-m FILE"):
            self.assertIn(part, line)
        self.assertIn("fail: weights: expected", self.last_line(1, "--receipt", path, "-m", tiny_model("--type", "q4_0")))
        path = self.doctored(lambda receipt: receipt.update(numerics=99))
        line = self.last_line(1, "--receipt", path)
        self.assertIn("fail: numerics: expected version 99", line)

    def test_what_is_no_receipt_is_refused_by_name(self):
        texts = {
            "empty": "",
            "brackets": "[" * 100_000,
            "page": "<!DOCTYPE html>",
            "list": "[]",
            "gguf": "GGUF\x03",
            "later": '{"format": "colonnade receipt", "format_version": 2}',
            "other": '{"format": "invoice", "format_version": 1}',
        }
        for name, text in texts.items():
            path = scratch() / f"bad_{name}.json"
            path.write_text(text)
            with self.subTest(name):
                self.assertIn(str(path), self.fails(1, "verify", "--receipt", str(path), "-m", tiny_model()))
        self.assertIn("absent", self.fails(1, "verify", "--receipt", str(scratch() / "absent.json")))
        self.assertIn("bytes", self.fails(1, "verify", "--receipt", "/dev/zero"))

    def test_fields_that_the_model_cannot_have_are_named(self):
        for part, change in (
            ("prompt_ids and steps: expected at most 2048", lambda receipt: receipt.update(prompt_ids=[1] * 1_000_000)),
            ("prompt_ids[0]: expected token ids from 0 to 639", lambda receipt: receipt.update(prompt_ids=[640])),
            ("steps[2].token: expected token ids", lambda receipt: receipt["steps"][2].update(token=640)),
            ("sampling.logit_bias: expected token ids", lambda receipt: receipt["sampling"].update(logit_bias=[{"token": 640, "bias": 1}])),
        ):
            self.assertIn(part, self.fails_behind_title(1, "--receipt", self.doctored(change), "-m", tiny_model()))

    def test_flags_that_the_receipt_answers_are_refused(self):
        for words in (("--precision", "int8"), ("--cache-type", "f32"), ("-p", "a"), ("-f", "a"), ("-n", "3")):
            self.assertIn("the receipt says it", self.fails(2, "verify", "--receipt", "r.json", *words))
        self.assertIn("--receipt", self.fails(2, "run", "-m", tiny_model(), "-p", "a", "-n", "0", "--receipt", "r.json"))
        self.assertIn("--receipt", self.fails(2, "run", "-m", tiny_model(), "-p", "a", "--receipt", ""))

    def test_nothing_is_left_when_the_run_fails(self):
        folder = scratch() / "no_receipt"
        folder.mkdir()
        path = str(folder / "r.json")
        self.fails(1, "run", "-m", str(scratch() / "absent.gguf"), "-p", "a", "--receipt", path)
        self.fails(2, "run", "-m", tiny_model(), "-p", "a b c d e f", "-c", "2", "--receipt", path)
        self.assertEqual(list(folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
