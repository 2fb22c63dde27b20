#!/usr/bin/env python3
"""tools/make_random_gguf.py writes complete files of every type, the same bytes for the same arguments."""

import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_random_gguf.py"
BLOCKS = {0: (1, 4), 1: (1, 2), 30: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
          10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 20: (32, 18), 23: (256, 136), 39: (32, 17)}
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


class Reader:
    """The metadata, tensors and size that a GGUF file claims."""

    def __init__(self, data):
        self.data, self.at = data, 8
        tensor_count, entry_count = self.take("QQ")
        self.metadata = {}
        for _ in range(entry_count):
            key = self.string()
            self.metadata[key] = self.value(*self.take("I"))
        self.tensors = {}
        self.size = 0
        for _ in range(tensor_count):
            name = self.string()
            dims = self.take("Q" * self.take("I")[0])
            kind, offset = self.take("IQ")
            self.tensors[name] = (dims, kind)
            elements, size = BLOCKS[kind]
            assert dims[0] % elements == 0, name
            count = 1
            for dim in dims:
                count *= dim
            self.size = offset + count // elements * size
        self.size += -(-self.at // 32) * 32
        self.size += -self.size % 32

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def string(self):
        (size,) = self.take("Q")
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def value(self, kind):
        if kind == 8:
            return self.string()
        if kind == 9:
            inner, count = self.take("IQ")
            return [self.value(inner) for _ in range(count)]
        self.at += SIZES[kind]
        return self.data[self.at - SIZES[kind] : self.at]


class MakeRandomGguf(unittest.TestCase):
    def make(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.gguf")
            subprocess.run([sys.executable, str(TOOL), *arguments, path], check=True)
            self.assertEqual(os.listdir(folder), ["model.gguf"])
            return Path(path).read_bytes()

    def test_every_type_gives_a_file_of_the_size_that_its_header_claims(self):
        for kind in ("f32", "f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "iq4_nl", "iq4_xs", "mxfp4", "q2_k", "q3_k",
                     "q4_k", "q5_k", "q6_k", "q4_k_m"):
            data = self.make("--preset", "tiny256", "--type", kind)
            self.assertEqual(len(data), Reader(data).size, kind)

    def test_the_same_arguments_give_the_same_bytes_and_another_seed_others(self):
        first = self.make("--type", "q8_0")
        self.assertEqual(first, self.make("--type", "q8_0"))
        self.assertNotEqual(first, self.make("--type", "q8_0", "--seed", "2"))

    def test_the_shape_is_the_one_asked_for(self):
        reader = Reader(self.make("--arch", "qwen2", "--layers", "3", "--ffn", "160", "--vocab", "300", "--untied"))
        self.assertEqual(reader.metadata["general.architecture"], "qwen2")
        self.assertEqual(reader.metadata["tokenizer.ggml.pre"], "qwen2")
        self.assertEqual(len(set(reader.metadata["tokenizer.ggml.tokens"])), 300)
        self.assertEqual(reader.tensors["output.weight"][0], (64, 300))
        self.assertEqual(reader.tensors["blk.2.ffn_down.weight"][0], (160, 64))
        self.assertEqual(reader.tensors["blk.0.attn_q.bias"][0], (288,))
        self.assertNotIn("blk.3.attn_norm.weight", reader.tensors)

    def test_every_merge_makes_a_token_out_of_tokens(self):
        metadata = Reader(self.make()).metadata
        tokens = set(metadata["tokenizer.ggml.tokens"])
        for merge in metadata["tokenizer.ggml.merges"]:
            left, right = merge.split(" ")
            self.assertLessEqual({left, right, left + right}, tokens)

    def test_the_mixture_has_its_types_and_falls_back_where_rows_do_not_fit(self):
        tensors = Reader(self.make("--preset", "tiny256", "--layers", "8", "--type", "q4_k_m")).tensors
        self.assertEqual(tensors["token_embd.weight"][1], 14)
        self.assertEqual([tensors[f"blk.{i}.ffn_down.weight"][1] for i in range(8)], [14, 12, 12, 14, 12, 12, 14, 14])
        tensors = Reader(self.make("--type", "q4_k_m", "--ffn", "80")).tensors
        self.assertEqual(tensors["token_embd.weight"][1], 8)
        self.assertEqual(tensors["blk.0.ffn_gate.weight"][1], 6)
        self.assertEqual(tensors["blk.0.ffn_down.weight"][1], 1)

    def test_a_shape_that_cannot_be_is_refused(self):
        for arguments in (["--vocab", "200"], ["--heads", "7"]):
            result = subprocess.run([sys.executable, str(TOOL), *arguments, "/nonexistent/x"], capture_output=True, text=True)
            self.assertEqual(result.returncode, 1)
            self.assertIn("expected", result.stderr)


if __name__ == "__main__":
    unittest.main()
