#!/usr/bin/env python3
"""Makes the Unicode tables of colonnade/text from what Hugging Face `tokenizers` does.

Every code point is put to the library itself, so that our tables are the ones its regex engine, its Digits
pre-tokenizer and its NFC normalizer have, whatever Unicode version those are of. Writes
  colonnade/text/unicode_ranges.inc   general categories, and what \\s, \\w, Digits and (?i:'s) accept, as ranges
  colonnade/text/nfc_tables.inc       combining classes, canonical decompositions, code points that need NFC work
  tests/text/unicode_golden.inc       digests over all code points, for the tests
Needs: pip install tokenizers. Python's unicodedata gives the structure of decompositions and the values of combining
classes, both of which Unicode promises never to change; everything is checked against `tokenizers`.
"""
import argparse
import pathlib
import unicodedata

import tokenizers
from tokenizers import Regex, normalizers, pre_tokenizers

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
SPACE, WORD, DIGIT, FOLDS_TO_S = 1, 2, 4, 8
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split()
HANGUL = range(0xAC00, 0xD7A4)
nfd = normalizers.NFD().normalize_str
nfc = normalizers.NFC().normalize_str


def matched_by(pattern):
    """The code points that the one-character `pattern` matches."""
    splitter = pre_tokenizers.Split(Regex(pattern), "removed")
    matched = set()
    for i in range(0, len(CODE_POINTS), 4096):
        block = CODE_POINTS[i : i + 4096]
        kept = set()
        for _, (begin, end) in splitter.pre_tokenize_str("".join(map(chr, block))):
            kept.update(range(begin, end))
        matched.update(c for k, c in enumerate(block) if k not in kept)
    return matched


def general_categories():
    """Code point -> index in CATEGORIES."""
    categories = {}
    for i, name in enumerate(CATEGORIES):
        for c in matched_by(rf"\p{{{name}}}"):
            assert c not in categories, hex(c)
            categories[c] = i
    assert len(categories) == len(CODE_POINTS)
    return categories


def character_flags(categories):
    flags = dict.fromkeys(CODE_POINTS, 0)
    for pattern, bit in ((r"\s", SPACE), (r"\w", WORD)):
        for c in matched_by(pattern):
            flags[c] |= bit
    assert matched_by(r"\d") == {c for c in CODE_POINTS if CATEGORIES[categories[c]] == "Nd"}
    digits = pre_tokenizers.Digits(individual_digits=True)
    quote_s = pre_tokenizers.Split(Regex("(?i:'s)"), "removed")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    for c in CODE_POINTS:
        if len(digits.pre_tokenize_str("a" + chr(c) + "a")) == 3:
            flags[c] |= DIGIT
        if c > 0x7F and not quote_s.pre_tokenize_str("'" + chr(c)):
            flags[c] |= FOLDS_TO_S
        # ByteLevel has its own copy of the GPT-2 pattern; its classes must be the same as Split's.
        kind = " " if flags[c] & SPACE else CATEGORIES[categories[c]][0]
        for neighbour, wanted in (("a", kind == "L"), ("1", kind == "N"), ("!", kind not in "LN ")):
            joined = len(byte_level.pre_tokenize_str(neighbour + chr(c))) == 1
            assert joined == wanted, hex(c)
    return flags


def runs_of(categories, flags):
    """[(first, category, flags)]: each holds up to the next one's first. The surrogates are a run of their own."""
    out = []
    for c in range(0x110000):
        value = (categories.get(c, CATEGORIES.index("Cs")), flags.get(c, 0))
        if not out or out[-1][1:] != value:
            out.append((c, *value))
    return out


def ranges_of(values):
    """[(first, last, value)] for the non-zero values of a dict code point -> value."""
    out = []
    for c in sorted(c for c in values if values[c]):
        if out and out[-1][1] == c - 1 and out[-1][2] == values[c]:
            out[-1][1] = c
        else:
            out.append([c, c, values[c]])
    return out


def combining_classes():
    """Code point -> canonical combining class where the normalizer knows one. A mark is known if it changes places with
    a mark of the lowest class (U+0334) behind it or of the highest (U+0345) before it."""
    classes = {}
    for c in CODE_POINTS:
        s = nfd(chr(c))
        if len(s) != 1:
            continue
        if nfd(s + "\u0334") != s + "\u0334" or nfd("\u0345" + s) != "\u0345" + s:
            classes[c] = unicodedata.combining(s)
            assert classes[c], hex(c)
    return classes


def decompositions():
    """[(code point, first, second or 0, composes)], Hangul syllables left out."""
    out = []
    for c in CODE_POINTS:
        if c in HANGUL or nfd(chr(c)) == chr(c):
            continue
        parts = [int(x, 16) for x in unicodedata.decomposition(chr(c)).split()]
        assert 1 <= len(parts) <= 2 and "".join(nfd(chr(p)) for p in parts) == nfd(chr(c)), hex(c)
        out.append((c, parts[0], parts[1] if len(parts) == 2 else 0, nfc(chr(c)) == chr(c)))
    return out


def unsettled(classes, entries):
    """Code points that are not in NFC whatever stands around them: combining, decomposing or able to compose backwards."""
    points = {c: 1 for c in classes}
    for c, _, second, composes in entries:
        if not composes:
            points[c] = 1
        elif second:
            points[second] = 1
    points.update({c: 1 for c in [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]})
    return points


def fnv1a(digest, data):
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return digest


FNV_START = 0xCBF29CE484222325


def nfc_digest():
    digest = FNV_START
    for c in CODE_POINTS:
        for text in (chr(c), "e" + chr(c), chr(c) + "\u0301", "\u0345" + chr(c) + "\u0334"):
            digest = fnv1a(digest, nfc(text).encode() + b"\0")
    return digest


def rows(items, per_line):
    return "".join(" ".join(items[i : i + per_line]) + "\n" for i in range(0, len(items), per_line))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    made = f"// Made by tools/make_unicode_tables.py with tokenizers {tokenizers.__version__}; do not edit.\n"

    categories = general_categories()
    flags = character_flags(categories)
    runs = runs_of(categories, flags)
    text = [f"{{0x{c:X}, {category}, {bits}}}," for c, category, bits in runs]
    (root / "colonnade/text/unicode_ranges.inc").write_text(made + rows(text, 7))

    classes, entries = combining_classes(), decompositions()
    parts = [
        made,
        "constexpr CombiningRange kCombiningRanges[] = {\n",
        rows([f"{{0x{a:X}, 0x{b:X}, {v}}}," for a, b, v in ranges_of(classes)], 5),
        "};\nconstexpr Decomposition kDecompositions[] = {\n",
        rows([f"{{0x{c:X}, 0x{a:X}, 0x{b:X}, {str(k).lower()}}}," for c, a, b, k in entries], 4),
        "};\nconstexpr CodePointRange kUnsettledRanges[] = {\n",
        rows([f"{{0x{a:X}, 0x{b:X}}}," for a, b, _ in ranges_of(unsettled(classes, entries))], 6),
        "};\n",
    ]
    (root / "colonnade/text/nfc_tables.inc").write_text("".join(parts))

    known = bytes(x for c in CODE_POINTS for x in (categories[c], flags[c]))
    golden = [
        made,
        f"constexpr uint64_t kRangesDigest = 0x{fnv1a(FNV_START, known):X};\n",
        f"constexpr uint64_t kNfcDigest = 0x{nfc_digest():X};\n",
    ]
    (root / "tests/text/unicode_golden.inc").write_text("".join(golden))


if __name__ == "__main__":
    main()
