"""The command line itself: help, versions, wrong flags and values, exit codes."""

import re
import subprocess
import unittest

from command import COLONNADE, CommandTest, call, tiny_model

COMMANDS = ("run", "chat", "info", "plan", "tokenize", "perplexity", "verify", "bench", "quantize", "shard", "completion")


class Usage(CommandTest):
    def test_version_is_one_line(self):
        self.assertRegex(self.ok("--version").decode(), r"^colonnade \d+\.\d+\.\d+\n$")

    def test_without_a_command_the_help_comes_and_the_exit_code_is_2(self):
        result = call()
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"Usage: colonnade COMMAND", result.stderr)

    def test_help_of_every_command_has_its_flags_and_examples(self):
        for command in COMMANDS:
            for words in ((command, "--help"), (command, "-h"), ("help", command)):
                page = self.ok(*words).decode()
                self.assertIn("Examples\n  ", page)
                self.assertIn("--help", page)

    def test_help_lists_every_command(self):
        page = self.ok("--help").decode()
        for command in COMMANDS:
            self.assertIn(f"  {command} ", page)

    def test_a_wrong_flag_suggests_the_right_one(self):
        self.assertIn("did you mean --threads?", self.fails(2, "run", "-m", "x", "--thread", "2"))
        self.assertIn("did you mean --max-tokens?", self.fails(2, "run", "-m", "x", "--max-token", "2"))
        self.assertIn("did you mean run?", self.fails(2, "rum"))

    def test_several_machines_are_refused_honestly(self):
        for words in (("--hosts", "a,b"), ("--nnodes", "2")):
            self.assertIn("share one machine", self.fails(2, "run", "-m", "x", *words))

    def test_a_value_that_is_missing_or_wrong_names_its_flag(self):
        for words, name in (
            (("-m",), "-m"),
            (("-m", "x", "-n", "many"), "--max-tokens"),
            (("-m", "x", "-n", "-3"), "--max-tokens"),
            (("-m", "x", "-t", "-2"), "--threads"),
            (("-m", "x", "--chunk", "0"), "--chunk"),
            (("-m", "x", "--precision", "int4"), "--precision"),
            (("-m", "x", "--seed", "-2"), "--seed"),
            (("-m", "x", "--logit-bias", "5"), "--logit-bias"),
            (("-m", "x", "--stop", ""), "--stop"),
            (("-m", "x", "--logprobs", "3"), "--logprobs"),
            (("-m", "x", "-p", "a", "-f", "b"), "--prompt and --file"),
            ((), "--model"),
            (("-m", "x", "stray"), "stray"),
        ):
            with self.subTest(words=words):
                self.assertIn(name, self.fails(2, "run", *words))

    def test_sampling_values_out_of_range_name_their_field(self):
        for flag, field, values in (
            ("--temp", "temperature", ("-1", "nan", "inf")),
            ("--top-p", "top_p", ("-1", "2", "nan")),
            ("--top-k", "top_k", ("-2",)),
            ("--min-p", "min_p", ("2", "-0.1")),
            ("--repeat-penalty", "repetition_penalty", ("0", "-1", "inf")),
            ("--presence-penalty", "presence_penalty", ("nan",)),
            ("--frequency-penalty", "frequency_penalty", ("inf",)),
        ):
            for value in values:
                with self.subTest(flag=flag, value=value):
                    self.assertIn(f"error: {field}: expected", self.fails(2, "run", "-m", tiny_model(), "-p", "a", flag, value))

    def test_a_bias_for_a_token_that_does_not_exist_is_refused(self):
        self.assertIn("logit_bias", self.fails(2, "run", "-m", tiny_model(), "-p", "a", "--logit-bias", "640+1"))

    def test_an_instruction_set_that_is_not_known_is_refused(self):
        self.assertIn("--isa", self.fails(2, "run", "-m", tiny_model(), "-p", "a", "--isa", "mmx"))
        self.assertIn("mmx", self.fails(2, "run", "-m", tiny_model(), "-p", "a", env={"COLONNADE_ISA": "mmx"}))


class Completion(CommandTest):
    def test_the_man_page_and_every_completion_have_all_commands_and_long_flags(self):
        scripts = {what: self.ok("completion", what).decode().replace("\\-", "-") for what in ("man", "bash", "zsh", "fish")}
        for command in COMMANDS:
            flags = re.findall(r"(?<![\w-])--([a-z][a-z0-9-]+)", self.ok(command, "--help").decode())
            for what, script in scripts.items():
                for word in (command, *flags):
                    self.assertRegex(script, rf"(?<![\w-])(--|-l )?{word}(?![\w-])", what)

    def test_bash_completes_commands_flags_and_choices(self):
        script = self.ok("completion", "bash").decode()
        for words, expected in (
            (["colonnade", "ch"], ["chat"]),
            (["colonnade", "run", "--prec"], ["--precision"]),
            (["colonnade", "run", "--precision", "int"], ["int8", "int15"]),
        ):
            line = " ".join(f'"{word}"' for word in words)
            ask = f'{script}\nCOMP_WORDS=({line})\nCOMP_CWORD={len(words) - 1}\n_colonnade\nprintf "%s\\n" "${{COMPREPLY[@]}}"'
            answer = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
            self.assertEqual(answer.stdout.split(), expected)

    def test_an_unknown_shell_is_refused(self):
        self.assertIn("bash, zsh, fish", self.fails(2, "completion", "tcsh"))
        self.assertIn("bash, zsh, fish", self.fails(2, "completion"))


if __name__ == "__main__":
    assert COLONNADE.exists(), f"{COLONNADE} is not built"
    unittest.main()
