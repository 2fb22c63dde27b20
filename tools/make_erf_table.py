#!/usr/bin/env python3
"""Writes colonnade/base/erf_table.h: erf(j/8) in two parts and the derivative of erf there, j = 0..47.

Made from the Maclaurin series of erf and exp in 120-digit decimal arithmetic, nothing else.
Usage: tools/make_erf_table.py > colonnade/base/erf_table.h
"""
import argparse
from decimal import Decimal, getcontext

POINTS = 48
HEADER = """// erf at multiples of 1/8, for math.cc. Made by tools/make_erf_table.py; do not edit.
#pragma once

namespace colonnade::math::detail {

struct ErfPoint {
  double high;   // erf(j / 8), rounded to f64
  double low;    // what the rounding left
  double slope;  // 2 / sqrt(pi) * exp(-(j / 8)^2)
};

constexpr int kErfPoints = %d;
constexpr ErfPoint kErfTable[kErfPoints] = {"""
FOOTER = """};

}  // namespace colonnade::math::detail"""


def arctan_inverse(n):
    """arctan(1/n) by its series."""
    term, total, k = Decimal(1) / n, Decimal(0), 0
    while abs(term) > Decimal(10) ** -115:
        total += term / (2 * k + 1) * (-1) ** k
        term /= n * n
        k += 1
    return total


def erf(x, two_over_root_pi):
    """erf(x) = 2/sqrt(pi) * sum (-1)^n x^(2n+1) / (n! (2n+1))."""
    power, total, n = x, Decimal(0), 0
    while abs(power) > Decimal(10) ** -110:
        total += power / (2 * n + 1)
        n += 1
        power *= -x * x / n
    return two_over_root_pi * total


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    getcontext().prec = 120
    pi = 16 * arctan_inverse(5) - 4 * arctan_inverse(239)  # Machin 1706
    factor = 2 / pi.sqrt()
    print(HEADER % POINTS)
    for j in range(POINTS):
        x = Decimal(j) / 8
        value = erf(x, factor)
        high = float(value)
        low = float(value - Decimal(high))
        slope = float(factor * (-x * x).exp())
        print("    {%s, %s, %s}," % (high.hex(), low.hex(), slope.hex()))
    print(FOOTER)


if __name__ == "__main__":
    main()
