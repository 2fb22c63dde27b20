"""colonnade run: the JSON object, files, repeatability, and input that cannot be used."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import unittest

from command import COLONNADE, CommandTest, call, real_model, scratch, tiny_model


def read_safetensors(path):
    """{name: (shape, values)} of a file of f32 tensors."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F32"
        values = struct.unpack(f"<{(end - begin) // 4}f", data[8 + length + begin : 8 + length + end])
        tensors[name] = (entry["shape"], values)
        assert 8 + length + end == len(data)
    return tensors


class Json(CommandTest):
    def test_the_object_has_the_documented_fields(self):
        answer = self.ok_json("run", "-m", tiny_model(), "-p", "hello", "-n", "8", "--ignore-eos", "--seed", "7")
        self.assertEqual(answer["seed"], 7)
        self.assertEqual(len(answer["tokens"]), 8)
        self.assertEqual(answer["finish_reason"], "length")
        self.assertIsInstance(answer["text"], str)
        prompt = len(answer["prompt_ids"])
        self.assertEqual(answer["usage"], {"prompt_tokens": prompt, "completion_tokens": 8, "total_tokens": prompt + 8})
        for key in ("prompt_n", "prompt_ms", "prompt_per_second", "predicted_n", "predicted_ms", "predicted_per_second"):
            self.assertIn(key, answer["timings"])
        self.assertEqual(answer["timings"]["load_bytes"], answer["ranks"][0]["file_bytes"])
        self.assertGreater(answer["timings"]["load_ms"], 0)
        self.assertTrue(0 < answer["timings"]["load_packing_share"] < 1)
        self.assertNotIn("logprobs", answer)

    def test_synonyms_mean_the_same(self):
        common = ("run", "-m", tiny_model(), "-p", "hello", "--ignore-eos", "--temp", "0")
        wanted = self.ok_json(*common, "-n", "5")["tokens"]
        for words in (("--max-tokens", "5"), ("--n-predict=5",), ("--n_predict", "5"), ("-n5",), ("--predict", "5")):
            self.assertEqual(self.ok_json(*common, *words)["tokens"], wanted)

    def test_log_probabilities_are_in_order_and_belong_to_the_tokens(self):
        answer = self.ok_json("run", "-m", tiny_model(), "-p", "hello", "-n", "4", "--ignore-eos", "--temp", "0", "--logprobs", "3")
        self.assertEqual([step["id"] for step in answer["logprobs"]], answer["tokens"])
        for step in answer["logprobs"]:
            values = [entry["logprob"] for entry in step["top"]]
            self.assertEqual(len(values), 3)
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertEqual(step["top"][0]["id"], step["id"])  # greedy
            self.assertAlmostEqual(step["top"][0]["logprob"], step["logprob"], places=9)

    def test_no_tokens_are_generated_when_none_are_wanted(self):
        answer = self.ok_json("run", "-m", tiny_model(), "-p", "hello", "-n", "0")
        self.assertEqual((answer["tokens"], answer["text"], answer["finish_reason"]), ([], "", "length"))

    def test_without_a_limit_the_answer_ends_where_the_context_is_full(self):
        answer = self.ok_json("run", "-m", tiny_model(), "-p", "hello", "-c", "32", "--ignore-eos")
        self.assertEqual(len(answer["prompt_ids"]) + len(answer["tokens"]), 32)
        self.assertEqual(answer["finish_reason"], "length")

    def test_a_stop_string_ends_the_answer_before_it(self):
        common = ("run", "-m", tiny_model(), "-p", "hello", "-n", "40", "--ignore-eos", "--temp", "0")
        text = self.ok_json(*common)["text"]
        stop = text[10:13]
        answer = self.ok_json(*common, "--stop", stop)
        self.assertEqual(answer["text"], text[: text.index(stop)])
        self.assertEqual(answer["finish_reason"], "stop")

    def test_text_on_standard_output_is_the_text_of_the_object(self):
        common = ("run", "-m", tiny_model(), "-p", "hello", "-n", "20", "--ignore-eos", "--seed", "3")
        self.assertEqual(self.ok(*common).decode(), self.ok_json(*common)["text"] + "\n")


class Prompts(CommandTest):
    def test_a_file_is_the_prompt_byte_for_byte(self):
        path = scratch() / "prompt.txt"
        text = "  two spaces\r\n\ttab, é 🍕\n\n"
        path.write_bytes(text.encode())
        wanted = self.ok_json("run", "-m", tiny_model(), "-p", text, "-n", "0")["prompt_ids"]
        for words, stdin in ((("-f", str(path)), b""), (("-f", "-"), text.encode()), ((), text.encode())):
            self.assertEqual(self.ok_json("run", "-m", tiny_model(), "-n", "0", *words, stdin=stdin)["prompt_ids"], wanted)
        pieces = self.ok_json("tokenize", "-m", tiny_model(), "-f", str(path))["ids"]
        self.assertEqual(pieces, wanted)

    def test_a_prompt_that_is_not_utf8_is_refused_with_the_offset(self):
        for words, stdin in ((("-p", b"ab\xffc"), b""), (("-f", "-"), b"ab\xffc")):
            self.assertIn("at offset 2", self.fails(2, "run", "-m", tiny_model(), *words, stdin=stdin))

    def test_a_prompt_longer_than_the_context_is_refused_with_both_numbers(self):
        message = self.fails(2, "run", "-m", tiny_model(), "-p", "a b c d e f g h", "-c", "4")
        self.assertRegex(message, r"the prompt has \d+ tokens, the context 4")

    def test_an_empty_prompt_is_refused_where_the_model_has_no_bos(self):
        self.assertIn("empty", self.fails(2, "run", "-m", real_model(), "-p", ""))

    def test_control_tokens_are_parsed_unless_they_shall_not_be(self):
        text = "<|im_end|>"
        common = ("run", "-m", real_model(), "-p", text, "-n", "0")
        self.assertEqual(self.ok_json(*common)["prompt_ids"], [2])
        self.assertNotIn(2, self.ok_json(*common, "--no-parse-special")["prompt_ids"])


class Repeats(CommandTest):
    def test_a_seed_repeats_and_another_one_differs(self):
        def tokens(*words):
            return self.ok_json("run", "-m", tiny_model(), "-p", "hello", "-n", "32", "--ignore-eos", "--temp", "1", *words)["tokens"]

        self.assertEqual(tokens("--seed", "42"), tokens("--seed", "42"))
        self.assertEqual(tokens("--seed", "42"), tokens("-s", "42", "-t", "1", "--chunk", "1", "--isa", "scalar"))
        self.assertNotEqual(tokens("--seed", "42"), tokens("--seed", "43"))
        self.assertNotEqual(tokens(), tokens())

    def test_the_reported_seed_gives_the_answer_again(self):
        common = ("run", "-m", tiny_model(), "-p", "hello", "-n", "32", "--ignore-eos", "--temp", "1")
        first = self.ok_json(*common)
        self.assertEqual(self.ok_json(*common, "--seed", str(first["seed"]))["tokens"], first["tokens"])

    def test_three_choices_of_a_request_differ_and_repeat(self):  # case D4
        def choices():
            common = ("run", "-m", real_model(), "-p", "Once upon a time", "-n", "12", "--temp", "1", "--seed", "42")
            return [self.ok_json(*common, "--choice", str(i))["tokens"] for i in range(3)]

        first = choices()
        self.assertEqual(len({tuple(tokens) for tokens in first}), 3)
        self.ok_json("run", "-m", real_model(), "-p", "Once upon a time", "-n", "4", "--temp", "1")  # an unseeded one in between
        self.assertEqual(choices(), first)


class Sampling(CommandTest):
    """Case D1: legal values at the ends of their ranges; the others are in usage_test.py."""

    def tokens(self, *words):
        return self.ok_json("run", "-m", tiny_model(), "-p", "hello", "-n", "12", "--ignore-eos", "--seed", "1", *words)["tokens"]

    def test_a_temperature_of_almost_0_is_greedy(self):
        self.assertEqual(self.tokens("--temp", "1e-8"), self.tokens("--temp", "0"))

    def test_top_k_0_minus_1_and_above_the_vocabulary_are_off(self):
        off = self.tokens("--top-k", "0")
        self.assertEqual(self.tokens("--top-k", "-1"), off)
        self.assertEqual(self.tokens("--top-k", "9999999"), off)

    def test_top_p_0_and_min_p_1_keep_the_most_likely_token(self):
        greedy = self.tokens("--temp", "0")
        self.assertEqual(self.tokens("--top-p", "0"), greedy)
        self.assertEqual(self.tokens("--min-p", "1"), greedy)

    def test_the_highest_temperature_still_answers(self):
        self.assertEqual(len(self.tokens("--temp", "1e6")), 12)

    def test_a_banned_token_never_comes(self):
        greedy = self.tokens("--temp", "0")
        self.assertNotIn(greedy[0], self.tokens("--temp", "0", "--logit-bias", f"{greedy[0]}-inf"))

    def test_a_bias_that_is_large_enough_forces_a_token(self):
        self.assertEqual(self.tokens("--temp", "0", "--logit-bias", "300+1000"), [300] * 12)


class Logits(CommandTest):
    def test_the_file_holds_the_logits_of_every_step(self):
        path = scratch() / "logits.safetensors"
        answer = self.ok_json("run", "-m", tiny_model(), "-p", "hello", "-n", "5", "--ignore-eos", "--temp", "0", "--logits", str(path))
        (name, (shape, values)), *others = read_safetensors(path).items()
        self.assertEqual((name, shape, others), ("logits", [5, 640], []))
        for step, token in enumerate(answer["tokens"]):
            row = values[step * 640 : (step + 1) * 640]
            self.assertEqual(row.index(max(row)), token)

    def test_nothing_is_left_when_the_run_fails(self):
        folder = scratch() / "empty"
        folder.mkdir()
        path = str(folder / "logits.safetensors")
        self.fails(1, "run", "-m", str(scratch() / "absent.gguf"), "-p", "a", "--logits", path)
        self.fails(2, "run", "-m", tiny_model(), "-p", "a b c d e f", "-c", "2", "--logits", path)
        self.fails(1, "run", "-m", tiny_model(), "-p", "a", "--logits", str(folder / "absent" / "logits"))
        self.assertIn("regular file", self.fails(1, "run", "-m", tiny_model(), "-p", "a", "--logits", str(folder)))
        self.assertEqual(list(folder.iterdir()), [])


class World(CommandTest):
    def test_files_that_cannot_be_used_are_named(self):
        broken = scratch() / "broken.gguf"
        broken.write_bytes(b"GGUF\x03\x00\x00\x00")
        page = scratch() / "page.gguf"
        page.write_text("<!DOCTYPE html>\n<html><title>404</title></html>\n")
        empty = scratch() / "folder"
        empty.mkdir()
        for path in (scratch() / "absent.gguf", broken, page, empty):
            for command in (("run", "-p", "a"), ("chat", "-p", "a"), ("info",), ("tokenize", "-p", "a"), ("bench",)):
                with self.subTest(path=path.name, command=command):
                    self.assertIn(str(path), self.fails(1, command[0], "-m", str(path), *command[1:]))
        self.assertIn("web page", self.fails(1, "run", "-m", str(page), "-p", "a"))
        self.assertIn("folder", self.fails(1, "run", "-m", str(empty), "-p", "a"))
        self.assertIn("directory", self.fails(1, "run", "-m", tiny_model(), "-f", str(empty)).lower())

    def test_an_architecture_that_is_not_supported_is_named(self):
        path = scratch() / "other.gguf"
        data = pathlib.Path(tiny_model()).read_bytes()
        path.write_bytes(data.replace(b"llama", b"lmama"))
        self.assertIn("lmama", self.fails(1, "run", "-m", str(path), "-p", "a"))
        self.assertIn(b"lmama", self.ok("info", "-m", str(path)))

    def test_a_context_longer_than_the_models_is_refused_with_both_numbers(self):
        message = self.fails(2, "run", "-m", tiny_model(), "-p", "a", "-c", "5000")
        self.assertIn("2048", message)
        self.assertIn("5000", message)

    def test_a_model_that_does_not_fit_is_refused_with_the_arithmetic(self):
        model = tiny_model("--context", "2000000000")
        message = self.fails(1, "run", "-m", model, "-p", "a", "-c", "0")
        self.assertRegex(message, r"(?s)memory.*weights.*cache")

    def test_a_reader_that_leaves_ends_the_command_quietly(self):
        long = tiny_model("--context", "1000000")
        words = [COLONNADE, "run", "-m", long, "-c", "0", "-p", "a", "--ignore-eos"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.wait(timeout=60), 141)
        process.stderr.close()

    def test_a_pipe_that_wants_one_byte_gets_it(self):
        shell = '"$0" run -m "$1" -p a -n 200 --ignore-eos -s 1 | head -c 1; echo " ${PIPESTATUS[0]}"'
        result = subprocess.run(["bash", "-c", shell, COLONNADE, tiny_model()], capture_output=True, timeout=60)
        self.assertRegex(result.stdout, rb"(?s)^. (0|141)\n$")  # 0: all fitted into the pipe before head left
        self.assertEqual(result.stderr, b"")

    def test_an_output_that_is_closed_or_full_is_an_error(self):
        for redirection in (">&-", ">/dev/full"):
            shell = f'"$0" run -m "$1" -p a -n 3 --json {redirection}'
            result = subprocess.run(["bash", "-c", shell, COLONNADE, tiny_model()], capture_output=True, timeout=60)
            self.assertEqual(result.returncode, 1, redirection)
            self.assertIn(b"standard output", result.stderr)

    @unittest.skipIf(os.environ.get("COLONNADE_SANITIZE"), "sanitizers take memory of their own")
    def test_peak_memory_is_weights_and_256_mb_with_the_measurement_of_bandwidth(self):
        """The cache of five positions weighs nothing."""
        process = subprocess.Popen([COLONNADE, "run", "-m", real_model(), "-p", "a", "-n", "4", "--timings"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(usage.ru_maxrss * 1024, 1.05 * os.path.getsize(real_model()) + 256e6)

    def test_loading_is_shown_beside_the_raw_read_of_the_files(self):
        for ranks in (("--tp", "1"), ("--tp", "2"), ("--tp", "2", "--ranks-as", "threads")):
            message = call("run", "-m", tiny_model(), "-p", "a", "-n", "2", "--timings", "-t", "1", *ranks).stderr.decode()
            self.assertRegex(message, r"loaded [\d.]+ GB in [\d.]+ s: [\d.]+ GB/s, \d+ % of the [\d.]+ GB/s that \d threads? reads? of "
                                      r"these files; \d+ % of the time packing\n")

    def test_ctrl_c_ends_a_run_with_130_and_leaves_no_files(self):
        folder = scratch() / "interrupted"
        folder.mkdir()
        long = tiny_model("--context", "1000000")
        words = [COLONNADE, "run", "-m", long, "-c", "0", "-p", "a", "--ignore-eos", "--logits", folder / "l.safetensors"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.read(process.stdout.fileno(), 1)  # the answer has begun
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(list(folder.iterdir()), [])


class OldProcessors(CommandTest):
    def test_the_check_comes_before_everything_else(self):
        """The object that checks for AVX and FMA holds none of their instructions."""
        listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", COLONNADE], capture_output=True, text=True, check=True).stdout
        body = listing.split("check_cpu", 1)[1].split("\n\n", 1)[0]
        self.assertIn("cpuid" if "cpuid" in body else "call", body)
        self.assertNotRegex(body, r"\b(ymm|zmm|vmov|vfm)")


if __name__ == "__main__":
    unittest.main()
