"""colonnade info, tokenize, perplexity and bench."""

import csv
import io
import json
import unittest

from command import ROOT, CommandTest, call, real_model, scratch, tiny_model

TEXT = ROOT / "tests/data/opticks_query_31.txt"


class Info(CommandTest):
    def test_the_machine_is_described(self):
        machine = self.ok_json("info", "-t", "1")
        self.assertIn(machine["isa"], machine["isas"])
        self.assertEqual(machine["isas"][0], "scalar")
        self.assertGreaterEqual(machine["physical_cores"], 1)
        self.assertGreater(machine["available_bytes"], 1 << 20)
        self.assertGreater(machine["read_bandwidth_gbs"], 0.1)

    def test_the_instruction_set_is_the_one_that_is_asked_for(self):
        self.assertEqual(self.ok_json("info", "-t", "1", env={"COLONNADE_ISA": "scalar"})["isa"], "scalar")
        self.assertIn(b"isa          scalar", self.ok("info", "-t", "1", "--isa", "scalar"))

    def test_a_model_is_described(self):
        model = self.ok_json("info", "-m", tiny_model())
        self.assertEqual((model["architecture"], model["layers"], model["vocab"]), ("llama", 2, 640))
        self.assertEqual(len(model["tensors"]), sum(sums["tensors"] for sums in model["types"].values()))
        self.assertIn("im_start", model["chat_template"])
        page = self.ok("info", "-m", tiny_model()).decode()
        self.assertIn("9 query and 3 KV heads of 32", page)
        self.assertIn("Q8_0", page)


class Tokenize(CommandTest):
    def test_ids_and_pieces_are_shown(self):
        page = self.ok("tokenize", "-m", real_model(), "-p", "Hello wörld\n").decode()
        ids = self.ok_json("tokenize", "-m", real_model(), "-p", "Hello wörld\n")["ids"]
        self.assertEqual([int(line.split()[0]) for line in page.splitlines()], ids)
        self.assertTrue(page.splitlines()[-1].endswith("'\\n'"))
        self.assertEqual(json.loads(self.ok("tokenize", "-m", real_model(), "-p", "Hello wörld\n", "--ids")), ids)

    def test_pieces_joined_are_the_text(self):
        text = "Hello wörld, 12 times\n"
        self.assertEqual("".join(self.ok_json("tokenize", "-m", real_model(), "-p", text)["pieces"]), text)

    def test_no_text_has_no_tokens(self):
        self.assertEqual(self.ok("tokenize", "-m", real_model(), "-p", "", "--ids"), b"[]\n")


class Perplexity(CommandTest):
    def test_the_method_is_that_of_the_reference(self):
        path = scratch() / "short.txt"
        path.write_text(TEXT.read_text()[:2600])
        golden = json.loads((ROOT / "tests/data/perplexity_smollm2-135m.json").read_text())
        result = self.ok_json("perplexity", "-m", real_model(), "-f", str(path), "--precision", "f32")
        self.assertEqual((result["windows"], result["scored_tokens"], result["n_ctx"]), (1, 255, 512))
        self.assertAlmostEqual(result["loss"], golden["window_nll"][0] / 255, delta=1e-3)
        self.assertGreater(result["standard_error"], 0)

    def test_the_value_is_printed_with_its_error(self):
        path = scratch() / "tiny.txt"
        path.write_text("word " * 700)
        self.assertRegex(self.ok("perplexity", "-m", tiny_model(), "-f", str(path)).decode(), r"^perplexity [\d.]+ \+/- [\d.]+ ")

    def test_a_text_without_a_whole_window_is_refused(self):
        path = scratch() / "few.txt"
        path.write_text("few words")
        self.assertIn("at least 512", self.fails(2, "perplexity", "-m", tiny_model(), "-f", str(path)))


class Bench(CommandTest):
    def test_json_has_one_object_per_measurement_with_the_peers_fields(self):
        words = ("bench", "-m", tiny_model(), "-p", "16,32", "-n", "8", "-t", "1,2", "-r", "3", "-o", "json")
        results = json.loads(self.ok(*words))
        self.assertEqual([(r["n_threads"], r["n_prompt"], r["n_gen"]) for r in results],
                         [(1, 16, 0), (1, 32, 0), (1, 0, 8), (2, 16, 0), (2, 32, 0), (2, 0, 8)])
        for result in results:
            self.assertEqual((len(result["samples_ns"]), len(result["samples_ts"])), (3, 3))
            self.assertAlmostEqual(result["avg_ts"], sum(result["samples_ts"]) / 3, places=3)
            self.assertLessEqual(min(result["samples_ts"]), result["avg_ts"])
            for key in ("model_filename", "model_type", "model_size", "model_n_params", "avg_ns", "stddev_ns", "stddev_ts", "bytes_per_token"):
                self.assertIn(key, result)
            for key in ("load_bytes", "load_ms", "load_gbs", "raw_read_gbs", "load_share"):
                self.assertGreater(result[key], 0, key)
            self.assertTrue(0 < result["load_packing_share"] < 1)
        self.assertGreater(results[2]["read_gbs"], 0)
        self.assertGreater(results[2]["bandwidth_share"], 0)

    def test_a_length_of_0_switches_a_measurement_off(self):
        results = json.loads(self.ok("bench", "-m", tiny_model(), "-p", "0", "-n", "4", "-t", "1", "-r", "1", "-o", "json"))
        self.assertEqual([(r["n_prompt"], r["n_gen"]) for r in results], [(0, 4)])
        self.assertIn("above 0", self.fails(2, "bench", "-m", tiny_model(), "-p", "0", "-n", "0"))

    def test_csv_and_markdown_are_tables(self):
        words = ("bench", "-m", tiny_model(), "-p", "8", "-n", "4", "-t", "1", "-r", "1")
        rows = list(csv.DictReader(io.StringIO(self.ok(*words, "-o", "csv").decode())))
        self.assertEqual([(row["n_prompt"], row["n_gen"]) for row in rows], [("8", "0"), ("0", "4")])
        page = self.ok(*words, "-o", "md").decode()
        self.assertEqual(len({line.count("|") for line in page.splitlines()}), 1)
        self.assertIn("| tg4 |", page)
        self.assertEqual(page.count("| load |"), 1)

    def test_more_tokens_than_the_models_context_are_refused(self):
        self.assertIn("2048", self.fails(2, "bench", "-m", tiny_model(), "-p", "3000", "-n", "0", "-t", "1"))


if __name__ == "__main__":
    unittest.main()
