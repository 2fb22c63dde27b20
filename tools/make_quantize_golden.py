#!/usr/bin/env python3
"""Writes tests/data/ggml_quantized.gguf: numbers, and what the reference quantizers make of them.

The tensor `numbers` (F32) holds rows of every kind of number that a quantizer meets; for each type T that Colonnade writes,
the tensor T holds the blocks that the Python package `gguf` makes of it.
Needs the packages gguf (made with 0.19.0) and numpy; the output depends on nothing but this file and their quantizers.
"""

import argparse
import pathlib

import gguf
import numpy

T = gguf.GGMLQuantizationType
TYPES = (T.F16, T.BF16, T.Q8_0, T.Q4_0, T.Q4_1)
COLUMNS = 128
F32 = numpy.float32


def rows() -> numpy.ndarray:
    """[R, COLUMNS] f32. Nowhere is the least number of a block 0 with both signs: its sign is then not defined."""
    random = numpy.random.Generator(numpy.random.PCG64(20261130))
    normal = [random.standard_normal(COLUMNS) * scale for scale in (0.02, 1.0, 300.0, 1e-4, 1e-6, 3e-8, 1e-36)]
    outliers = random.standard_normal(COLUMNS) * numpy.where(random.random(COLUMNS) < 0.05, 50, 0.1)
    halves = numpy.arange(COLUMNS) % 32 * 8.0 - 127.0  # with a scale of 1, codes at x.0
    halves = halves + numpy.where(numpy.arange(COLUMNS) % 32 == 31, 6.0, 0.5)  # ... and at x.5, both signs
    steps = (numpy.arange(COLUMNS) % 32 - 16) / 2.0  # halves of the 4-bit codes
    both = numpy.where(numpy.arange(COLUMNS) % 2 == 0, 1.5, -1.5)  # the first of two that are equally large counts
    return numpy.stack([
        *normal,
        *(-abs(row) for row in normal[:2]),
        *(abs(row) + F32(1e-9) for row in normal[:2]),
        outliers, halves, -halves, steps, -steps, both, -both,
        numpy.zeros(COLUMNS), numpy.full(COLUMNS, 0.7), numpy.full(COLUMNS, -0.7),
        random.uniform(-60000, 60000, COLUMNS),
    ]).astype(F32)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = pathlib.Path(__file__).parent.parent / "tests" / "data" / "ggml_quantized.gguf"
    parser.add_argument("--output", default=default, type=pathlib.Path)
    output = parser.parse_args().output
    writer = gguf.GGUFWriter(output, "test")
    numbers = rows()
    writer.add_tensor("numbers", numbers)
    for kind in TYPES:
        writer.add_tensor(kind.name, gguf.quantize(numbers, kind), raw_dtype=None if kind == T.F16 else kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
