"""colonnade plan: the cut of a model among ranks, from its header alone."""

import unittest
import xml.etree.ElementTree

from command import CommandTest, scratch, tiny_model


class Plan(CommandTest):
    def plan(self, *words):
        given = () if "--bandwidth" in words else ("--bandwidth", "10")  # nothing to measure
        return self.ok_json("plan", "-m", tiny_model(), *words, *given)

    def test_every_rank_is_shown(self):
        plan = self.plan("--tp", "2")
        self.assertEqual([rank["heads"] for rank in plan["ranks"]], [[0, 5], [5, 9]])
        self.assertEqual([rank["kv_heads"] for rank in plan["ranks"]], [[0, 2], [1, 3]])
        self.assertEqual(plan["ranks"][0]["hidden"][1], plan["ranks"][1]["hidden"][0])
        self.assertEqual(plan["ranks"][1]["vocabulary"][1], plan["vocab"])
        page = self.ok("plan", "-m", tiny_model(), "--tp", "2").decode()
        self.assertIn("query heads", page)
        self.assertIn("5: 0-4", page)

    def test_names_of_other_engines_mean_the_same(self):
        for flag in ("-tp", "--tensor-parallel-size", "--tensor_parallel", "--ranks"):
            self.assertEqual(self.plan(flag, "3")["tp"], 3)
        self.assertEqual(self.plan("-tp", "2", "-ts", "3,1")["shares"], [3, 1])

    def test_shares_give_a_rank_more(self):
        ranks = self.plan("--tp", "2", "--shares", "3,1")["ranks"]
        self.assertGreater(ranks[0]["weight_bytes"], 2 * ranks[1]["weight_bytes"])

    def test_more_ranks_than_heads_are_planned_and_more_than_helps_are_refused(self):
        model = tiny_model("--ffn", "768")
        useful = self.ok_json("plan", "-m", model)["largest_useful_ranks"]
        self.assertEqual(useful["ranks"], 24)
        last = self.ok_json("plan", "-m", model, "--tp", "24")["ranks"][-1]
        self.assertEqual(last["heads"][0], last["heads"][1])
        self.assertGreater(last["multiply_adds_per_token"], 0)
        message = self.fails(2, "plan", "-m", model, "--tp", "25")
        for part in ("--tp", f"at most {useful['ranks']}", useful["parameter"], str(useful["total"]), f"units of {useful['unit']}"):
            self.assertIn(part, message)

    def test_wrong_values_name_their_flag(self):
        for words, flag in (
            (("--tp", "0"), "--tp"),
            (("--tp", "-1"), "--tp"),
            (("--tp", "two"), "--tp"),
            (("--tp", "1000000000000"), "--tp"),
            (("--tp", "2", "--shares", "3"), "--shares"),
            (("--tp", "2", "--shares", "3,0"), "--shares"),
            (("--tp", "2", "--shares", "3,-1"), "--shares"),
            (("--tp", "2", "--shares", "3,x"), "--shares"),
            (("--tp", "2", "--shares", "3,nan"), "--shares"),
            (("--tp", "2", "--shares", "1000000,1"), "--shares"),
            (("--shares", "1,1"), "--shares"),
            (("--tp", "2", "--memory", "1G,1G,1G"), "--memory"),
            (("--memory", "many"), "--memory"),
            (("--memory", "-1G"), "--memory"),
            (("--tp", "2", "--bandwidth", "1,2,3"), "--bandwidth"),
            (("--bandwidth", "0"), "--bandwidth"),
            (("--link", "pigeon"), "--link"),
            (("--link", "nvlink"), "--bandwidth"),
            (("--svg", ""), "--svg"),
            (("--json", "--brief"), "--brief"),
            (("-t", "-2"), "--threads"),
            (("-c", "100000000"), "--ctx-size"),
            (("--chunk", "0"), "--chunk"),
            (("stray",), "stray"),
        ):
            with self.subTest(words=words):
                self.assertIn(flag, self.fails(2, "plan", "-m", tiny_model(), *words))
        self.assertIn("--model", self.fails(2, "plan"))

    def test_what_is_predicted_is_called_predicted(self):
        page = self.ok("plan", "-m", tiny_model(), "--tp", "2").decode()
        self.assertIn("predicted, not run", page)
        self.assertIn("measured here", page)
        for link in ("shared-memory", "thunderbolt", "10GbE", "1GbE"):
            self.assertIn(link, page)
        self.assertNotIn("nvlink", page)  # nothing here measures a device

    def test_speed_follows_from_bandwidth_and_link(self):
        def speed(*words):
            (link,) = self.plan("--tp", "2", *words)["prediction"]["links"]
            return link["tokens_per_s"]

        slow = speed("--link", "1GbE", "--bandwidth", "10")
        self.assertGreater(speed("--link", "10GbE", "--bandwidth", "10"), slow)
        self.assertGreater(speed("--link", "1GbE", "--bandwidth", "20"), slow)
        self.assertGreater(slow, speed("--link", "1GbE", "--bandwidth", "10,1"))
        prediction = self.plan("--tp", "2", "--bandwidth", "3000")["prediction"]
        self.assertFalse(prediction["bandwidth_measured"])
        self.assertIn("nvlink", [link["link"] for link in prediction["links"]])

    def test_memory_decides_what_fits_and_what_would(self):
        fits = self.plan("--tp", "2", "--memory", "1G")["memory"]
        self.assertTrue(fits["fits"])
        self.assertEqual((fits["shared"], fits["measured"]), (False, False))
        needed = max(rank["total_bytes"] for rank in self.plan("--tp", "2")["ranks"])
        tight = self.plan("--tp", "2", "--memory", str(needed - 1))["memory"]
        self.assertFalse(tight["fits"])
        page = self.ok("plan", "-m", tiny_model(), "--tp", "2", "--memory", str(needed - 1)).decode()
        self.assertIn("does not fit", page)
        self.assertIn(f"-c {tight['longest_context']}", page)
        self.assertIn("no number of ranks", self.ok("plan", "-m", tiny_model(), "--memory", "1K", "--brief").decode())

    def test_without_a_size_this_machine_is_shared_or_one_of_many(self):
        self.assertTrue(self.plan("--tp", "2")["memory"]["shared"])
        apart = self.plan("--tp", "2", "--link", "1GbE")["memory"]
        self.assertEqual((apart["shared"], apart["measured"]), (False, True))

    def test_the_brief_form_has_three_lines(self):
        page = self.ok("plan", "-m", tiny_model(), "--tp", "2", "--brief").decode()
        self.assertEqual(page.count("\n"), 3)
        self.assertIn("query heads 5 + 4", page)

    def test_the_picture_is_one_svg(self):
        path = scratch() / "cut.svg"
        self.ok("plan", "-m", tiny_model(), "--tp", "2", "--brief", "--svg", str(path))
        root = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertIn("attn_output", "".join(root.itertext()))
        self.fails(1, "plan", "-m", tiny_model(), "--tp", "2", "--svg", str(scratch() / "no/folder.svg"))

    def test_automatic_shares_are_left_to_the_run(self):
        self.assertIn("measured", self.fails(2, "plan", "-m", tiny_model(), "--tp", "2", "--shares", "auto"))

    def test_a_file_that_is_no_model_is_a_failure_and_no_usage_error(self):
        path = scratch() / "text.gguf"
        path.write_text("no model")
        self.fails(1, "plan", "-m", str(path), "--tp", "2")
        self.fails(1, "plan", "-m", str(scratch() / "missing.gguf"), "--tp", "2")


if __name__ == "__main__":
    unittest.main()
