#!/usr/bin/env python3
"""Writes a GGUF model of a given shape and type with random weights: for benchmarks and tests that need no meaning.

    tools/make_random_gguf.py --preset 1b --type q4_0 1b.gguf          the shape of Llama 3.2 1B
    tools/make_random_gguf.py --preset tiny --type q8_0 tiny.gguf      two layers, 9 query and 3 KV heads
    tools/make_random_gguf.py --preset tiny --arch qwen2 --ffn 160 --type f32 other.gguf

The file is complete (metadata, byte-level tokenizer, ChatML template, all tensors), so other engines load it too (llama.cpp's
qwen2 wants heads * head size = dim). Weights have mean 0 and a standard deviation near 1 / sqrt(K), so activations and logits stay of ordinary size. Quantized blocks are not
quantized from anything: their codes are random bits and their scales have the size that gives that deviation. The same
arguments write the same bytes.

Types: one for all matrices (norms and biases are F32), or q4_k_m, the mixture of llama.cpp: Q4_K, with Q6_K for the head
and, in every third layer or so, for the values and the down projection. Where a row is no multiple of the type's block, the
type that llama.cpp falls back to is used (Q2_K, Q3_K -> Q4_0, Q4_K -> Q5_0, Q5_K -> Q5_1, Q6_K -> Q8_0, IQ4_XS -> IQ4_NL),
and F16 where a row is no multiple of 32 either.
Source: the GGUF specification; block layouts of ggml-common.h; llama_tensor_get_type of llama.cpp. Needs nothing but Python.
"""

import argparse
import dataclasses
import math
import os
import pathlib
import random
import struct
import sys

CHUNK_BYTES = 1 << 20
ALIGNMENT = 32

# GGUF value types
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9

CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


@dataclasses.dataclass
class Shape:
    arch: str = "llama"
    layers: int = 2
    dim: int = 64
    ffn: int = 96
    heads: int = 9
    kv_heads: int = 3
    head_dim: int = 32
    vocab: int = 640
    context: int = 2048
    rope_theta: float = 10000.0
    tied: bool = True


PRESETS = {
    "tiny": Shape(),
    # Every row is whole super-blocks, and heads and leaves cut them.
    "tiny256": Shape(dim=256, ffn=768, heads=8, kv_heads=2),
    "1b": Shape(layers=16, dim=2048, ffn=8192, heads=32, kv_heads=8, head_dim=64, vocab=128256, context=8192,
                rope_theta=500000.0),
}


# ---- Blocks. A block is a list of fields (base, mask): the bits of `mask` are random, the others are those of `base`.

Field = tuple[bytes, bytes]


def f16_bits(value: float) -> int:
    return int.from_bytes(struct.pack("<e", value), "little")


def scale(value: float, random_sign: bool = False) -> Field:
    """An f16 from |value| to 1.25 |value|: its lower mantissa bits are random."""
    return struct.pack("<H", f16_bits(value) & 0xFF00), struct.pack("<H", 0x80FF if random_sign else 0x00FF)


def exponent(value: float) -> Field:
    """A power of two for doubled numbers: the one nearest to `value`."""
    return bytes([128 + round(math.log2(value))]), b"\0"


def codes(count: int) -> Field:
    return bytes(count), b"\xff" * count


def real(deviation: float, bits: int, mantissa: int, bias: int) -> list[Field]:
    """A float of random sign between 2^e and 2^(e+1), whose deviation is 1.53 * 2^e."""
    exponent = max(1, round(math.log2(deviation / 1.53)) + bias)
    mask = 1 << (bits - 1) | (1 << mantissa) - 1
    return [((exponent << mantissa).to_bytes(bits // 8, "little"), mask.to_bytes(bits // 8, "little"))]


@dataclasses.dataclass(frozen=True)
class Type:
    number: int  # in the file
    file_type: int  # general.file_type of a file made of it
    elements: int  # of a block
    fields: object  # deviation -> fields of a block
    fallback: str = "f16"


# The factors: deviation of the code around its middle, times (two levels) the size of a sub-scale.
TYPES = {
    "f32": Type(0, 0, 1, lambda s: real(s, 32, 23, 127)),
    "f16": Type(1, 1, 1, lambda s: real(s, 16, 10, 15)),
    "bf16": Type(30, 32, 1, lambda s: real(s, 16, 7, 127)),
    "q4_0": Type(2, 2, 32, lambda s: [scale(s / 5.2, True), codes(16)]),
    "q4_1": Type(3, 3, 32, lambda s: [scale(s / 5.2), scale(-7.5 * s / 5.2), codes(16)]),
    "q5_0": Type(6, 8, 32, lambda s: [scale(s / 10.4, True), codes(4), codes(16)]),
    "q5_1": Type(7, 9, 32, lambda s: [scale(s / 10.4), scale(-15.5 * s / 10.4), codes(4), codes(16)]),
    "q8_0": Type(8, 7, 32, lambda s: [scale(s / 83, True), codes(32)]),
    "iq4_nl": Type(20, 25, 32, lambda s: [scale(s / 76, True), codes(16)]),
    "iq4_xs": Type(23, 30, 256, lambda s: [scale(s / 1410, True), codes(2), codes(4), codes(128)], "iq4_nl"),
    "mxfp4": Type(39, 38, 32, lambda s: [exponent(s / 5.9), codes(16)]),
    "q2_k": Type(10, 10, 256, lambda s: [codes(16), codes(64), scale(s / 15.7), scale(1.5 * s / 15.7)], "q4_0"),
    "q3_k": Type(11, 12, 256, lambda s: [codes(32), codes(64), codes(12), scale(s / 48.6, True)], "q4_0"),
    "q4_k": Type(12, 14, 256, lambda s: [scale(s / 280), scale(7.5 * s / 280), codes(12), codes(128)], "q5_0"),
    "q5_k": Type(13, 16, 256, lambda s: [scale(s / 560), scale(15.5 * s / 560), codes(12), codes(32), codes(128)], "q5_1"),
    "q6_k": Type(14, 18, 256, lambda s: [codes(128), codes(64), codes(16), scale(s / 1540, True)], "q8_0"),
}
MIXTURE = "q4_k_m"
MIXTURE_FILE_TYPE = 15


def random_data(generator: random.Random, kind: Type, elements: int, deviation: float):
    """The bytes of a tensor, in chunks. One operation on a large integer sets all fields of a chunk."""
    fields = kind.fields(deviation)
    base = b"".join(field[0] for field in fields)
    mask = b"".join(field[1] for field in fields)
    left = elements // kind.elements
    step = min(left, CHUNK_BYTES // len(base))
    base_bits = int.from_bytes(base * step, "little")
    mask_bits = int.from_bytes(mask * step, "little")
    while left > 0:
        size = min(step, left) * len(base)
        chunk = generator.getrandbits(8 * step * len(base)) & mask_bits | base_bits
        yield chunk.to_bytes(step * len(base), "little")[:size]
        left -= step


# ---- What the model consists of


@dataclasses.dataclass(frozen=True)
class Tensor:
    name: str
    dims: tuple[int, ...]  # in file order: (K, rows)
    type: str
    deviation: float

    @property
    def kind(self) -> Type:
        return TYPES[self.type]

    @property
    def elements(self) -> int:
        return math.prod(self.dims)

    @property
    def size_bytes(self) -> int:
        return self.elements // self.kind.elements * sum(len(base) for base, _ in self.kind.fields(1.0))


def wants_more_bits(layer: int, layers: int) -> bool:
    """The layers whose values and down projection the mixture stores in Q6_K."""
    return layer < layers // 8 or layer >= 7 * layers // 8 or (layer - layers // 8) % 3 == 2


def fitting_type(wanted: str, k: int) -> str:
    while k % TYPES[wanted].elements != 0:
        wanted = TYPES[wanted].fallback
    return wanted


class Model:
    def __init__(self, shape: Shape, wanted: str):
        self.shape = shape
        self.wanted = wanted
        self.tensors: list[Tensor] = []
        self.matrix("token_embd.weight", shape.dim, shape.vocab, better=shape.tied)
        for layer in range(shape.layers):
            self.add_layer(layer)
        self.norm("output_norm.weight", shape.dim)
        if not shape.tied:
            self.matrix("output.weight", shape.dim, shape.vocab, better=True)

    def matrix(self, name: str, k: int, rows: int, better: bool = False) -> None:
        wanted = ("q6_k" if better else "q4_k") if self.wanted == MIXTURE else self.wanted
        self.tensors.append(Tensor(name, (k, rows), fitting_type(wanted, k), 1 / math.sqrt(k)))

    def norm(self, name: str, size: int) -> None:
        self.tensors.append(Tensor(name, (size,), "f32", 0.0))

    def bias(self, name: str, size: int) -> None:
        self.tensors.append(Tensor(name, (size,), "f32", 0.05))

    def add_layer(self, layer: int) -> None:
        shape, block = self.shape, f"blk.{layer}."
        q, kv = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        better = wants_more_bits(layer, shape.layers)
        self.norm(block + "attn_norm.weight", shape.dim)
        self.matrix(block + "attn_q.weight", shape.dim, q)
        self.matrix(block + "attn_k.weight", shape.dim, kv)
        self.matrix(block + "attn_v.weight", shape.dim, kv, better)
        if shape.arch == "qwen2":
            self.bias(block + "attn_q.bias", q)
            self.bias(block + "attn_k.bias", kv)
            self.bias(block + "attn_v.bias", kv)
        self.matrix(block + "attn_output.weight", q, shape.dim)
        self.norm(block + "ffn_norm.weight", shape.dim)
        self.matrix(block + "ffn_gate.weight", shape.dim, shape.ffn)
        self.matrix(block + "ffn_up.weight", shape.dim, shape.ffn)
        self.matrix(block + "ffn_down.weight", shape.ffn, shape.dim, better)


# ---- Tokenizer


def byte_tokens() -> list[str]:
    """The 256 characters that stand for bytes in byte-level BPE. Source: GPT-2's encoder.py, bytes_to_unicode."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in printable)
    code_points = {byte: byte for byte in printable} | {byte: 256 + i for i, byte in enumerate(others)}
    return [chr(code_points[byte]) for byte in range(256)]


CONTROL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
NORMAL, CONTROL = 1, 3


def vocabulary(size: int) -> tuple[list[str], list[str]]:
    """Tokens and merges: bytes, pairs of letters, fillers that no text reaches, control tokens at the end."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    pairs = [(a, b) for a in "Ġ" + letters for b in letters]
    tokens = byte_tokens()
    room = size - len(tokens) - len(CONTROL_TOKENS)
    merges = [f"{a} {b}" for a, b in pairs[:room]]
    tokens += [a + b for a, b in pairs[:room]]
    tokens += [f"filler{i}" for i in range(room - len(merges))]
    return tokens + list(CONTROL_TOKENS), merges


# ---- The file


def string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key: str, kind: int, value: bytes) -> bytes:
    return string(key) + struct.pack("<I", kind) + value


def strings(values: list[str]) -> bytes:
    return struct.pack("<IQ", STRING, len(values)) + b"".join(map(string, values))


def metadata(shape: Shape, file_type: int, pre: str) -> list[bytes]:
    tokens, merges = vocabulary(shape.vocab)
    kinds = [NORMAL] * (len(tokens) - len(CONTROL_TOKENS)) + [CONTROL] * len(CONTROL_TOKENS)
    number = lambda key, value: entry(key, U32, struct.pack("<I", value))
    real_number = lambda key, value: entry(key, F32, struct.pack("<f", value))
    text = lambda key, value: entry(key, STRING, string(value))
    arch = shape.arch
    return [
        text("general.architecture", arch),
        text("general.name", "random weights"),
        number("general.file_type", file_type),
        number("general.quantization_version", 2),
        number(f"{arch}.vocab_size", shape.vocab),
        number(f"{arch}.context_length", shape.context),
        number(f"{arch}.embedding_length", shape.dim),
        number(f"{arch}.block_count", shape.layers),
        number(f"{arch}.feed_forward_length", shape.ffn),
        number(f"{arch}.attention.head_count", shape.heads),
        number(f"{arch}.attention.head_count_kv", shape.kv_heads),
        number(f"{arch}.attention.key_length", shape.head_dim),
        number(f"{arch}.attention.value_length", shape.head_dim),
        real_number(f"{arch}.attention.layer_norm_rms_epsilon", 1e-5),
        number(f"{arch}.rope.dimension_count", shape.head_dim),
        real_number(f"{arch}.rope.freq_base", shape.rope_theta),
        text("tokenizer.ggml.model", "gpt2"),
        text("tokenizer.ggml.pre", pre),
        entry("tokenizer.ggml.tokens", ARRAY, strings(tokens)),
        entry("tokenizer.ggml.token_type", ARRAY, struct.pack(f"<IQ{len(kinds)}i", I32, len(kinds), *kinds)),
        entry("tokenizer.ggml.merges", ARRAY, strings(merges)),
        number("tokenizer.ggml.bos_token_id", shape.vocab - 3),
        number("tokenizer.ggml.eos_token_id", shape.vocab - 1),
        number("tokenizer.ggml.padding_token_id", shape.vocab - 3),
        entry("tokenizer.ggml.add_bos_token", BOOL, b"\0"),
        text("tokenizer.chat_template", CHAT_TEMPLATE),
    ]


def padding(size: int) -> bytes:
    return bytes(-size % ALIGNMENT)


def header(entries: list[bytes], tensors: list[Tensor]) -> bytes:
    parts = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(entries)), *entries]
    offset = 0
    for tensor in tensors:
        parts.append(string(tensor.name) + struct.pack(f"<I{len(tensor.dims)}Q", len(tensor.dims), *tensor.dims))
        parts.append(struct.pack("<IQ", tensor.kind.number, offset))
        offset += tensor.size_bytes
        offset += len(padding(offset))
    data = b"".join(parts)
    return data + padding(len(data))


def tensor_data(generator: random.Random, tensor: Tensor):
    if tensor.deviation > 0:
        yield from random_data(generator, tensor.kind, tensor.elements, tensor.deviation)
    else:  # a norm: around 1
        yield b"".join(struct.pack("<f", generator.uniform(0.8, 1.2)) for _ in range(tensor.elements))


def write(path: pathlib.Path, model: Model, file_type: int, pre: str, seed: int) -> None:
    generator = random.Random(seed)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as out:
            out.write(header(metadata(model.shape, file_type, pre), model.tensors))
            for tensor in model.tensors:
                for chunk in tensor_data(generator, tensor):
                    out.write(chunk)
                out.write(padding(out.tell()))
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="the GGUF file to write")
    parser.add_argument("--preset", choices=PRESETS, default="tiny", help="the shape to start from (default: tiny)")
    parser.add_argument("--type", type=str.lower, choices=[*TYPES, MIXTURE], default="q4_0")
    parser.add_argument("--arch", choices=["llama", "qwen2"])
    for name in ("layers", "dim", "ffn", "heads", "kv_heads", "head_dim", "vocab", "context"):
        parser.add_argument("--" + name.replace("_", "-"), type=int, help="instead of the preset's")
    parser.add_argument("--rope-theta", type=float, help="instead of the preset's")
    parser.add_argument("--untied", action="store_true", help="a head of its own instead of the embedding")
    parser.add_argument("--pre", help="tokenizer.ggml.pre (default: smollm, for qwen2 qwen2)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def chosen_shape(arguments: argparse.Namespace) -> Shape:
    given = {field.name: getattr(arguments, field.name, None) for field in dataclasses.fields(Shape)}
    shape = dataclasses.replace(PRESETS[arguments.preset], **{k: v for k, v in given.items() if v is not None})
    if arguments.untied:
        shape.tied = False
    smallest = 256 + len(CONTROL_TOKENS) + 1
    if shape.vocab < smallest:
        sys.exit(f"make_random_gguf: --vocab: expected at least {smallest} (bytes, control tokens, one merge), got {shape.vocab}")
    if shape.heads % shape.kv_heads != 0 or shape.head_dim % 2 != 0:
        sys.exit("make_random_gguf: expected heads in whole groups per KV head and an even head size, got "
                 f"{shape.heads} heads, {shape.kv_heads} KV heads of {shape.head_dim}")
    return shape


def main() -> None:
    arguments = parse_arguments()
    shape = chosen_shape(arguments)
    file_type = MIXTURE_FILE_TYPE if arguments.type == MIXTURE else TYPES[arguments.type].file_type
    pre = arguments.pre or ("qwen2" if shape.arch == "qwen2" else "smollm")
    write(arguments.output, Model(shape, arguments.type), file_type, pre, arguments.seed)


if __name__ == "__main__":
    main()
