#!/usr/bin/env python3
"""Checks what compilers do not: the rules of CONTRIBUTING.md that a program can judge.

  tools/check.py                  every check over this tree and the objects in build/release
  tools/check.py layers sizes     these checks only
  tools/check.py --fix-format     lets clang-format rewrite the sources

Exit code 0: no errors (warnings are printed); 1: errors.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from checks import directives, formatting, layers, links, objects, pairs, sizes, words  # noqa: E402

CHECKS = {
    "format": formatting.check,
    "layers": layers.check,
    "sizes": sizes.check,
    "pairs": pairs.check,
    "directives": directives.check,
    "words": words.check,
    "links": links.check,
    "objects": objects.check,
}


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"one of {', '.join(CHECKS)}; default: all")
    parser.add_argument("--fix-format", action="store_true", help="rewrite the sources with clang-format and end")
    parser.add_argument("--root", type=Path, default=root, help="the tree to check (default: the one this file stands in)")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.checks) - set(CHECKS))
    if unknown:
        parser.error(f"expected {', '.join(CHECKS)}, got {', '.join(unknown)}")
    if arguments.fix_format:
        formatting.fix(arguments.root)
        return 0
    errors = 0
    for name in arguments.checks or CHECKS:
        findings = CHECKS[name](arguments.root)
        for warning in findings.warnings:
            print(f"{warning} (warning)")
        for error in findings.errors:
            print(error)
        errors += len(findings.errors)
        print(f"check {name}: {len(findings.errors) or 'no'} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
