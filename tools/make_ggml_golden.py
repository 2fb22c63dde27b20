#!/usr/bin/env python3
"""Writes tests/data/ggml_blocks.gguf: blocks of every type that Colonnade reads, and the numbers that they mean.

For each type T the file holds a tensor `T.blocks` of that type and a tensor `T.values` (F32) of the same shape: the numbers
that the Python package `gguf` makes of the blocks (of Q8_K, which it does not take apart, f32 scale times code). Blocks are
random bytes; their scales are, row by row, of ordinary size, then the extremes of f16 (of f32, of exponents): largest, smallest
denormal, zero, minus zero, negative. No scale is infinite or NaN.
Needs the packages gguf (made with 0.19.0) and numpy; the output depends on nothing but this file and their dequantizers.
"""

import argparse
import pathlib

import gguf
import numpy

T = gguf.GGMLQuantizationType
COLUMNS = 256
SCALE_BYTES = {  # offsets of the f16 numbers in a block
    T.Q4_0: (0,),
    T.Q4_1: (0, 2),
    T.Q5_0: (0,),
    T.Q5_1: (0, 2),
    T.Q8_0: (0,),
    T.IQ4_NL: (0,),
    T.MXFP4: (),
    T.Q2_K: (80, 82),
    T.Q3_K: (108,),
    T.Q4_K: (0, 2),
    T.Q5_K: (0, 2),
    T.Q6_K: (208,),
    T.IQ4_XS: (0,),
    T.Q8_K: (),
}
EXTREMES = (0x7BFF, 0x0001, 0x0000, 0x8000, 0xFBFF, 0x83FF, 0x0400, 0xBC00)  # f16 bits
EXPONENTS = (0, 1, 2, 3, 126, 127, 250, 251)  # times 6 below the largest f32
EXTREMES_F32 = (0x7BFFFFFF, 0x00000001, 0x00000000, 0x80000000, 0xFBFFFFFF, 0x807FFFFF, 0x00800000, 0xBF800000)


def random_blocks(kind: T, random: numpy.random.Generator) -> numpy.ndarray:
    """[4, bytes of a row]: rows 0 and 1 with ordinary scales, rows 2 and 3 with extreme ones."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (4, COLUMNS // elements, size), dtype=numpy.uint8)
    for offset in SCALE_BYTES[kind]:
        scales = (random.standard_normal(blocks.shape[:2]) * 0.02).astype(numpy.float16).view(numpy.uint16)
        scales[2:] = random.choice(numpy.array(EXTREMES, dtype=numpy.uint16), scales[2:].shape)
        blocks[:, :, offset : offset + 2] = scales[..., None].view(numpy.uint8)
    if kind == T.MXFP4:
        blocks[:2, :, 0] = random.integers(118, 124, blocks[:2].shape[:2])
        blocks[2:, :, 0] = random.choice(numpy.array(EXPONENTS, dtype=numpy.uint8), blocks[2:].shape[:2])
    if kind == T.Q8_K:
        scales = (random.standard_normal(blocks.shape[:2]) * 0.02).astype(numpy.float32).view(numpy.uint32)
        scales[2:] = random.choice(numpy.array(EXTREMES_F32, dtype=numpy.uint32), scales[2:].shape)
        blocks[:, :, :4] = scales[..., None].view(numpy.uint8)
    return blocks.reshape(4, -1)


def numbers(kind: T, raw: numpy.ndarray) -> numpy.ndarray:
    """What rows of blocks mean, f32."""
    if kind == T.Q8_K:
        blocks = raw.reshape(4, -1, gguf.GGML_QUANT_SIZES[kind][1])
        return (blocks[:, :, :4].copy().view(numpy.float32) * blocks[:, :, 4:260].view(numpy.int8)).reshape(4, -1)
    return gguf.dequantize(raw.view(numpy.float16) if kind == T.F16 else raw, kind).astype(numpy.float32)


def plain_rows(kind: T, random: numpy.random.Generator) -> numpy.ndarray:
    """[2, bytes of a row] of F16 or BF16 bits without infinities and NaNs."""
    largest = 0x7BFF if kind == T.F16 else 0x7F7F
    magnitude = random.integers(0, largest, (2, 64), dtype=numpy.uint16, endpoint=True)
    return (magnitude | random.integers(0, 2, (2, 64), dtype=numpy.uint16) << 15).view(numpy.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = pathlib.Path(__file__).parent.parent / "tests" / "data" / "ggml_blocks.gguf"
    parser.add_argument("--output", default=default, type=pathlib.Path)
    output = parser.parse_args().output
    writer = gguf.GGUFWriter(output, "test")
    for kind in (*SCALE_BYTES, T.F16, T.BF16):
        random = numpy.random.Generator(numpy.random.PCG64(int(kind)))
        raw = random_blocks(kind, random) if kind in SCALE_BYTES else plain_rows(kind, random)
        values = numbers(kind, raw)
        assert numpy.isfinite(values).all()
        writer.add_tensor(f"{kind.name}.blocks", raw, raw_dtype=kind)
        writer.add_tensor(f"{kind.name}.values", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
