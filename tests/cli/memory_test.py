"""Memory while a model is loaded: no rank holds more than its share, files' pages included."""

import contextlib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from command import COLONNADE, ROOT, CommandTest, scratch

MB = 1 << 20
HIDDEN, FFN, KV, LAYERS, CONTEXT = 2048, 5632, 256, 7, 512
KV_CACHE = LAYERS * 2 * KV * CONTEXT * 2  # bf16
RUN = ("-p", "Once upon", "-n", "1", "--temp", "0", "-t", "1", "-c", str(CONTEXT))


def shapes(layer):
    """The tensors of one decoder layer."""
    prefix = f"model.layers.{layer}."
    for name, rows, cols in (("self_attn.q_proj", HIDDEN, HIDDEN), ("self_attn.k_proj", KV, HIDDEN),
                             ("self_attn.v_proj", KV, HIDDEN), ("self_attn.o_proj", HIDDEN, HIDDEN),
                             ("mlp.gate_proj", FFN, HIDDEN), ("mlp.up_proj", FFN, HIDDEN), ("mlp.down_proj", HIDDEN, FFN)):
        yield f"{prefix}{name}.weight", [rows, cols]
    for name in ("input_layernorm", "post_attention_layernorm"):
        yield f"{prefix}{name}.weight", [HIDDEN]


@functools.cache
def random_numbers():
    """8 MB of bf16 numbers of 2^-7 to 2^-5, either sign."""
    size = 4 * MB
    numbers = bytearray(2 * size)
    numbers[0::2] = os.urandom(size)
    numbers[1::2] = os.urandom(size).translate(bytes(0x3C | byte & 0x80 for byte in range(256)))
    return bytes(numbers)


def write_shard(path, tensors):
    """A safetensors file of random bf16 numbers."""
    header, end = {}, 0
    for name, shape in tensors:
        size = 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        while end > 0:
            end -= file.write(random_numbers()[:end])


@functools.cache
def big_folder():
    """A Llama of 620 MB of bf16, in a shard per layer."""
    folder = scratch() / "big"
    small = ROOT / "tests/data/families/llama"
    folder.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        shutil.copy(small / name, folder)
    config = json.loads((small / "config.json").read_text())
    config.update(hidden_size=HIDDEN, intermediate_size=FFN, num_hidden_layers=LAYERS, num_attention_heads=HIDDEN // 64,
                  num_key_value_heads=KV // 64, head_dim=64, max_position_embeddings=CONTEXT)
    (folder / "config.json").write_text(json.dumps(config))
    ends = [("model.embed_tokens.weight", [272, HIDDEN]), ("model.norm.weight", [HIDDEN]), ("lm_head.weight", [272, HIDDEN])]
    where = {}
    for layer in range(LAYERS):
        name = f"model-{layer + 1:05}-of-{LAYERS:05}.safetensors"
        tensors = [*shapes(layer), *(ends if layer == 0 else [])]
        write_shard(folder / name, tensors)
        where.update((tensor, name) for tensor, _ in tensors)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": where}))
    return folder


@functools.cache
def big_gguf():
    """The same model as GGUF, Q8_0: 330 MB."""
    path = scratch() / "big.gguf"
    subprocess.run([COLONNADE, "quantize", "-m", big_folder(), "--type", "Q8_0", "-o", path, "-q"], check=True, stdout=subprocess.DEVNULL)
    return path


def run_measured(*words, enter=None):
    """(the JSON answer, the largest resident set that one of the ranks has had, files' pages included). `enter` runs in the
    new process before it becomes the command."""
    with subprocess.Popen([COLONNADE, "run", *words, *RUN, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=enter) as process:
        answer, message = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)  # rank 0, or a rank that it has waited for, if that has had more
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(f"{words}: ended with {process.returncode}: {message.decode(errors='replace')}")
    return json.loads(answer), usage.ru_maxrss * 1024


@contextlib.contextmanager
def memory_group(limit):
    """A control group with this limit: what a process calls to enter it. Skips the test where this user cannot make one."""
    name = f"colonnade-test-{os.getpid()}"
    for parent, file in ((pathlib.Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
                         (pathlib.Path("/sys/fs/cgroup"), "memory.max")):
        group = parent / name
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if (group / file).exists():
                (group / file).write_text(str(limit))
                yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
                return
        finally:
            group.rmdir()
    raise unittest.SkipTest("control groups of memory cannot be made here")


@unittest.skipIf(os.environ.get("COLONNADE_SANITIZE"), "sanitizers keep memory of their own")
class Memory(CommandTest):
    def check(self, model, ranks):
        answer, resident = run_measured("-m", model, "--tp", str(ranks))
        share = max(rank["file_bytes"] for rank in answer["ranks"])
        self.assertLessEqual(resident, share * 1.05 + KV_CACHE + 256 * MB, (model, ranks))
        # Else this would hold for a model that is not there, or be measured in other units.
        self.assertGreater(resident, share)

    def test_a_rank_needs_its_share_and_little_more_of_a_safetensors_folder(self):
        for ranks in (1, 2):
            self.check(big_folder(), ranks)

    def test_a_rank_needs_its_share_and_little_more_of_a_gguf_file(self):
        for ranks in (1, 2):
            self.check(big_gguf(), ranks)

    def test_a_folder_larger_than_half_of_the_memory_limit_loads(self):
        size = sum(file.stat().st_size for file in big_folder().iterdir())
        for ranks in (1, 2):
            with memory_group(int(1.4 * size)) as enter:
                answer, resident = run_measured("-m", big_folder(), "--tp", str(ranks), enter=enter)
                self.assertEqual(len(answer["tokens"]), 1)
                self.assertLess(resident, 1.4 * size)


if __name__ == "__main__":
    unittest.main()
