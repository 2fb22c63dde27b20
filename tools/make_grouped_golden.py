#!/usr/bin/env python3
"""Makes tests/data/grouped_weights.safetensors: small grouped weights as MLX and gpt-oss keep them, and what they mean.

    python3 -m venv V && V/bin/pip install 'mlx[cpu]' transformers torch safetensors numpy
    V/bin/python tools/make_grouped_golden.py tests/data/grouped_weights.safetensors

Per weight W: W.weight, W.scales and W.biases as MLX quantized random numbers, W.codes (uint8) and W.values (f32), which
the script checks against MLX's own dequantization. For gpt-oss: experts_blocks, experts_scales, experts.values. For nvfp4
and mxfp8 there are no codes, and a second weight W_extreme whose groups have every scale that is a number.
"""

import json
import sys

import mlx.core as mx
import numpy as np
import torch
from safetensors.numpy import save_file
from transformers.integrations.mxfp4 import convert_moe_packed_tensors

ROWS, COLS = 2, 128
BITS = (2, 3, 4, 5, 6, 8)
GROUPS = (32, 64, 128)
TYPES = (mx.float16, mx.bfloat16, mx.float32)


def stored(array):
    """As numpy writes it: bf16 as its bits, which save() below turns into BF16."""
    return np.array(array.view(mx.uint16)) if array.dtype == mx.bfloat16 else np.array(array)


def affine(random, bits, group, dtype, tensors, bf16):
    name = f"affine{bits}_g{group}"
    weight = mx.array(random.standard_normal((ROWS, COLS)).astype(np.float32)).astype(dtype)
    packed, scales, biases = mx.quantize(weight, group_size=group, bits=bits)
    one, zero = mx.ones(scales.shape, mx.float32), mx.zeros(scales.shape, mx.float32)
    codes = np.array(mx.dequantize(packed, one, zero, group_size=group, bits=bits)).astype(np.uint8)
    wide = [np.array(x.astype(mx.float32)).astype(np.float64).repeat(group, axis=1) for x in (scales, biases)]
    values = (wide[0] * codes + wide[1]).astype(np.float32)
    theirs = np.array(
        mx.dequantize(packed, scales.astype(mx.float32), biases.astype(mx.float32), group_size=group, bits=bits))
    # Theirs rounds the product and the sum, ours only the sum.
    assert np.all(np.abs(values - theirs) <= 2.0**-24 * (np.abs(wide[0] * codes) + 2 * np.abs(values))), name
    for part, array in (("weight", packed), ("scales", scales), ("biases", biases)):
        tensors[f"{name}.{part}"] = stored(array)
        if array.dtype == mx.bfloat16:
            bf16.append(f"{name}.{part}")
    tensors[f"{name}.codes"], tensors[f"{name}.values"] = codes, values


def mxfp4(random, tensors):
    weight = mx.array((random.standard_normal((ROWS, COLS)) * 3).astype(np.float32))
    packed, scales = mx.quantize(weight, group_size=32, bits=4, mode="mxfp4")
    values = mx.dequantize(packed, scales, group_size=32, bits=4, mode="mxfp4").astype(mx.float32)
    tensors["mxfp4.weight"], tensors["mxfp4.scales"] = np.array(packed), np.array(scales)
    tensors["mxfp4.values"] = np.array(values)


def floats(random, tensors, mode, group, scales):
    """Numbers that MLX quantized, and random codes with the given scales."""
    weight = mx.array((random.standard_normal((ROWS, COLS)) * 0.1).astype(np.float32))
    packed, own_scales = mx.quantize(weight, mode=mode)
    codes = random.integers(0, 256, len(scales) * group // (1 if mode == "mxfp8" else 2), dtype=np.uint8)
    if mode == "mxfp8":
        codes[codes & 0x7F == 0x7F] -= 1  # no numbers
    extreme = mx.array(codes.reshape(len(scales) * group // COLS, -1).view(np.uint32))
    parts = {mode: (packed, own_scales), f"{mode}_extreme": (extreme, mx.array(scales.reshape(extreme.shape[0], -1)))}
    for name, (words, table) in parts.items():
        tensors[f"{name}.weight"], tensors[f"{name}.scales"] = np.array(words), np.array(table)
        tensors[f"{name}.values"] = np.array(mx.dequantize(words, table, mode=mode, dtype=mx.float32))


def gpt_oss(random, tensors):
    blocks = random.integers(0, 256, (2, 3, COLS // 32, 16), dtype=np.uint8)
    scales = random.integers(100, 150, (2, 3, COLS // 32), dtype=np.uint8)
    values = convert_moe_packed_tensors(torch.tensor(blocks), torch.tensor(scales), dtype=torch.float32)
    tensors["experts_blocks"], tensors["experts_scales"] = blocks, scales
    # transformers gives [E, K, rows]; a file has [E, rows, K]
    tensors["experts.values"] = np.ascontiguousarray(values.transpose(1, 2).numpy())


def save(path, tensors, bf16):
    """safetensors.numpy has no bf16: those tensors are written as F16 bits and renamed in the header."""
    save_file({name: array.view(np.float16) if name in bf16 else array for name, array in tensors.items()}, path)
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    for name in bf16:
        header[name]["dtype"] = "BF16"
    text = json.dumps(header, separators=(",", ":")).encode()
    open(path, "wb").write(len(text).to_bytes(8, "little") + text + data[8 + size :])


def main():
    random = np.random.default_rng(5)
    tensors, bf16 = {}, []
    for i, bits in enumerate(BITS):
        for j, group in enumerate(GROUPS):
            affine(random, bits, group, TYPES[(i + j) % 3], tensors, bf16)
    mxfp4(random, tensors)
    gpt_oss(random, tensors)
    bytes_ = np.arange(256, dtype=np.uint8)
    # 256 groups, the two that are no numbers replaced
    floats(random, tensors, "nvfp4", 16, np.where(bytes_ & 0x7F == 0x7F, 1, bytes_).astype(np.uint8))
    floats(random, tensors, "mxfp8", 32, np.where(bytes_ == 255, 0, bytes_).astype(np.uint8))
    save(sys.argv[1], tensors, bf16)


if __name__ == "__main__":
    main()
