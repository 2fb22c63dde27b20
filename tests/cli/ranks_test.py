"""Ranks of the command: the same answers, what each rank reports, and flags that cannot be."""

import unittest

from command import CommandTest, real_model, scratch, tiny_model


class SameAnswers(CommandTest):
    def tokens(self, *words, **options):
        common = ("run", "-m", tiny_model(), "-p", "hello", "-n", "12", "--ignore-eos", "--seed", "42", "--temp", "1")
        return self.ok_json(*common, *words, **options)["tokens"]

    def test_ranks_shares_and_what_they_run_as_change_no_token(self):
        wanted = self.tokens()
        for words in (("--tp", "2"), ("--tp", "3", "--ranks-as", "threads"), ("--tp", "3", "--shares", "2,1,1", "-t", "2")):
            self.assertEqual(self.tokens(*words), wanted, words)
        self.assertEqual(self.tokens("--tp", "2", env={"COLONNADE_ISA": "scalar,avx2"}), wanted)

    def test_three_choices_of_a_request_differ_and_are_those_of_one_rank(self):  # case D4
        def choices(*words):
            common = ("run", "-m", real_model(), "-p", "Once upon a time", "-n", "12", "--temp", "1", "--seed", "42")
            return [self.ok_json(*common, "--choice", str(i), *words)["tokens"] for i in range(3)]

        two = choices("--tp", "2")
        self.assertEqual(len({tuple(tokens) for tokens in two}), 3)
        self.assertEqual(choices("--tp", "2"), two)
        self.assertEqual(choices(), two)

    def test_bench_and_perplexity_run_on_ranks(self):
        path = scratch() / "ranks.txt"
        path.write_text("word " * 700)
        words = ("perplexity", "-m", tiny_model(), "-f", str(path))
        self.assertEqual(self.ok(*words, "--tp", "3"), self.ok(*words))
        self.assertIn(b"tg4", self.ok("bench", "-m", tiny_model(), "-p", "8", "-n", "4", "-r", "1", "-t", "1", "--tp", "2", "-o", "md"))


class Reports(CommandTest):
    def test_json_tells_what_each_rank_holds(self):
        model = tiny_model()
        answer = self.ok_json("run", "-m", model, "-p", "a", "-n", "1", "--tp", "2", "--shares", "3,1", "-t", "1")
        plan = self.ok_json("plan", "-m", model, "--tp", "2", "--shares", "3,1", "--bandwidth", "10")
        self.assertEqual([rank["threads"] for rank in answer["ranks"]], [1, 1])
        self.assertEqual([rank["multiply_adds_per_token"] for rank in answer["ranks"]],
                         [rank["multiply_adds_per_token"] for rank in plan["ranks"]])
        for rank, planned in zip(answer["ranks"], plan["ranks"]):  # the plan counts the five norms too
            self.assertEqual(rank["weight_bytes"] + 5 * 64 * 4, planned["weight_bytes"])

    def test_auto_gives_a_slow_rank_less_and_changes_no_token(self):
        words = ("run", "-m", real_model(), "-p", "Once upon a time", "-n", "8", "--seed", "1", "--tp", "2", "-t", "1")
        slow = {"COLONNADE_ISA": "scalar,avx2"}
        answer = self.ok_json(*words, "--shares", "auto", env=slow)
        first, second = (rank["weight_bytes"] for rank in answer["ranks"])
        self.assertLess(first, second)
        self.assertIn("scalar", answer["ranks"][0]["device"])
        self.assertEqual(answer["tokens"], self.ok_json(*words)["tokens"])


class Refusals(CommandTest):
    def test_wrong_values_name_their_flag(self):
        for words, flag in (
            (("--tp", "0"), "--tp"),
            (("--tp", "-1"), "--tp"),
            (("--tp", "two"), "--tp"),
            (("--tp", "1000000"), "--tp"),
            (("--tp", "2", "--shares", "3"), "--shares"),
            (("--tp", "2", "--shares", "3,0"), "--shares"),
            (("--tp", "2", "--shares", "3,x"), "--shares"),
            (("--tp", "2", "--shares", "1000000,1"), "--shares"),
            (("--tp", "2", "--ranks-as", "machines"), "--ranks-as"),
            (("--tp", "2", "--timeout", "-1"), "--timeout"),
            (("--tp", "2", "--timeout", "soon"), "--timeout"),
        ):
            with self.subTest(words=words):
                self.assertIn(flag, self.fails(2, "run", "-m", tiny_model(), "-p", "a", *words))

    def test_instruction_sets_for_another_number_of_ranks_are_refused(self):
        message = self.fails(2, "run", "-m", tiny_model(), "-p", "a", "--tp", "3", env={"COLONNADE_ISA": "scalar,avx2"})
        self.assertIn("COLONNADE_ISA", message)

    def test_one_rank_more_than_helps_is_refused_with_the_reason(self):
        model = tiny_model("--ffn", "768")
        self.ok("run", "-m", model, "-p", "a", "-n", "1", "--tp", "24", "-t", "1")
        message = self.fails(2, "run", "-m", model, "-p", "a", "--tp", "25")
        for part in ("--tp", "at most 24", "units of"):
            self.assertIn(part, message)

    def test_ranks_that_do_not_fit_into_memory_are_refused_with_the_arithmetic(self):
        model = tiny_model("--context", "2000000000")
        self.assertRegex(self.fails(1, "run", "-m", model, "-p", "a", "-c", "0", "--tp", "3"), r"(?s)memory.*weights.*cache")


if __name__ == "__main__":
    unittest.main()
