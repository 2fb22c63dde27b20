"""A GGUF model that was split into shards gives the bits of the whole one, by whichever path it is named."""

import pathlib
import struct
import unittest

from command import CommandTest, call, scratch, tiny_model

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
ALIGNMENT = 32


def gguf_string(text):
    return struct.pack("<Q", len(text)) + text


class Model:
    """The parts of a GGUF file: its metadata as they lie there, and (name, dims and type as they lie there, data) per tensor."""

    def __init__(self, path):
        self.data, self.at = pathlib.Path(path).read_bytes(), 8
        tensor_count, self.entry_count = self.take("QQ")
        begin = self.at
        for _ in range(self.entry_count):
            self.skip_string()
            self.skip_value(*self.take("I"))
        self.metadata = self.data[begin : self.at]
        found = []
        for _ in range(tensor_count):
            begin = self.at
            self.skip_string()
            name_end = self.at
            self.take("Q" * self.take("I")[0] + "I")
            found.append((self.data[begin:name_end], self.data[name_end : self.at], *self.take("Q")))
        base = -(-self.at // ALIGNMENT) * ALIGNMENT
        ends = [offset for *_, offset in found[1:]] + [len(self.data) - base]
        self.tensors = [(name, shape, self.data[base + at : base + end]) for (name, shape, at), end in zip(found, ends)]

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def skip_string(self):
        (length,) = self.take("Q")
        self.at += length

    def skip_value(self, kind):
        if kind == 8:
            self.skip_string()
        elif kind == 9:
            inner, count = self.take("IQ")
            for _ in range(count):
                self.skip_value(inner)
        else:
            self.at += SIZES[kind]


def write_shard(path, tensors, metadata, entry_count):
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), entry_count) + metadata
    data = b""
    for name, shape, values in tensors:
        head += name + shape + struct.pack("<Q", len(data))
        data += values + bytes(-len(values) % ALIGNMENT)
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + data)


def split(path, count):
    """The folder of `count` shards of the model at `path`; the first holds metadata only."""
    model = Model(path)
    folder = scratch() / f"{pathlib.Path(path).stem}-in-{count}"
    folder.mkdir()
    per_shard = -(-len(model.tensors) // (count - 1))
    for number in range(count):
        own = gguf_string(b"split.no") + struct.pack("<IH", 2, number)
        own += gguf_string(b"split.count") + struct.pack("<IH", 2, count)
        own += gguf_string(b"split.tensors.count") + struct.pack("<Ii", 5, len(model.tensors))
        tensors = model.tensors[(number - 1) * per_shard : number * per_shard] if number else []
        metadata, entries = (own + model.metadata, 3 + model.entry_count) if number == 0 else (own, 3)
        write_shard(folder / f"m-{number + 1:05d}-of-{count:05d}.gguf", tensors, metadata, entries)
    return folder


class Split(CommandTest):
    def logits(self, model, *words):
        path = scratch() / "split-logits.safetensors"
        answer = self.ok_json("run", "-m", str(model), "-p", "one two three", "-n", "6", "--ignore-eos", "--seed", "3",
                              "--logits", str(path), *words)
        bits = path.read_bytes()
        path.unlink()
        return answer["tokens"], bits

    def test_any_shard_and_the_folder_give_the_bits_of_the_whole(self):
        whole = tiny_model()
        wanted = self.logits(whole)
        folder = split(whole, 4)
        for path in (folder, *sorted(folder.iterdir())):
            with self.subTest(path=path.name):
                self.assertEqual(self.logits(path), wanted)
        self.assertEqual(self.logits(folder / "m-00003-of-00004.gguf", "--tp", "3"), wanted)

    def test_a_missing_and_a_truncated_shard_are_named(self):
        folder = split(tiny_model("--seed", "4"), 3)
        last = folder / "m-00003-of-00003.gguf"
        data = last.read_bytes()
        last.write_bytes(data[:-1000])
        self.refused(folder, f"{last}: tensor '", ": it is cut short or damaged")
        last.unlink()
        self.refused(folder, f"shard 3 of 3 is missing: expected {last}")
        self.refused(folder / "m-00002-of-00003.gguf", f"shard 3 of 3 is missing: expected {last}")

    def refused(self, model, *words):
        result = call("run", "-m", str(model), "-p", "x")
        self.assertEqual(result.returncode, 1)
        for word in words:
            self.assertIn(word, result.stderr.decode())


if __name__ == "__main__":
    unittest.main()
