#!/usr/bin/env python3
"""docs/errors.md and the messages of loading are the same set: each row stands in the sources, each message has a row.

In a row … divides a text into pieces. In a message it stands for what is put in.
"""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
TEXT = ("tokenizer", "tokenizer_document", "tokenizer_json", "tokenizer_json_steps", "vocabulary", "bpe", "pieces",
        "known_steps", "special_tokens", "split_pattern", "normalizer", "pretokenizer")  # fmt: skip
# Of what our own code asks for wrongly, not of files.
OURS = ("a transposed one has no values",)
# Only the place, in front of what refuse() and fail() are given: "expected ..., got ...".
PLACES = ("…: metadata key …: ……", "…: tensor …: …", "…: ………: … (offset …)")


def listed(page):
    """The messages: the code span that begins a row of a table."""
    return re.findall(r"^\| `([^`]+)` \|", page, flags=re.MULTILINE)


def code_of(path):
    return re.sub(r"(?<!:)//[^\n]*", "", path.read_text(encoding="utf-8"))


def literals():
    """The string literals of the sources; those that stand side by side are one."""
    paths = sorted((ROOT / "colonnade").rglob("*.cc")) + sorted((ROOT / "colonnade").rglob("*.h"))
    return "\n".join("\n".join(re.findall(LITERAL, re.sub(r'"\s*\n\s*"', "", code_of(path)))) for path in paths)


def arguments(code, at):
    """The arguments of the call whose bracket opens at `at`."""
    depth, found, begin = 0, [], at + 1
    for token in re.finditer(LITERAL + r"|'(?:[^'\\]|\\.)+'|[()\[\]{},]", code[at:]):
        text, place = token.group(), at + token.start()
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth -= 1
            if depth == 0:
                return found + [code[begin:place].strip()]
        elif text == "," and depth == 1:
            found.append(code[begin:place].strip())
            begin = place + 1
    return found


def message_of(parts):
    text = ""
    for part in parts:
        if re.fullmatch(rf"(?:{LITERAL}\s*)+", part):
            text += "".join(re.findall(LITERAL, part))
        else:
            text += message_of(arguments(part, 6)) if part.startswith("concat(") else "…"
    return text


def messages():
    """(file, text) of what CN_CHECK and throw say in the sources of loading."""
    paths = [path for folder in ("io", "models") for path in sorted((ROOT / "colonnade" / folder).glob("*.cc"))]
    paths += [ROOT / "colonnade/text" / f"{name}.cc" for name in TEXT]
    paths += [ROOT / "colonnade/api" / f"{name}.cc" for name in ("model_files", "gguf_vocabulary")]
    paths += [ROOT / "colonnade/base" / f"{name}.cc" for name in ("file", "json", "json_value")]
    for path in paths:
        code = code_of(path)
        for call in re.finditer(r"\bCN_CHECK(?=\()|\bthrow Error(?=\()", code):
            parts = arguments(code, call.end())
            text = message_of(parts[1:] if call.group() == "CN_CHECK" else parts)
            if re.search("[a-z]{3}", text) and text not in PLACES and not any(ours in text for ours in OURS):
                yield path.name, text


def fits(row, text):
    return re.search(".*".join(map(re.escape, row.split("…"))), text) is not None


class ErrorsPage(unittest.TestCase):
    def setUp(self):
        self.rows = listed((ROOT / "docs/errors.md").read_text(encoding="utf-8"))

    def test_every_listed_message_is_one_that_the_sources_have(self):
        self.assertGreater(len(self.rows), 30)
        known = literals()
        for row in self.rows:
            for piece in row.split("…"):
                self.assertIn(piece, known, row)

    def test_every_message_of_the_sources_of_loading_is_listed(self):
        found = list(messages())
        self.assertGreater(len(found), 150)
        missing = [f"{name}: {text}" for name, text in found if not any(fits(row, text) for row in self.rows)]
        self.assertEqual(missing, [])

    def test_no_message_is_listed_twice(self):
        self.assertEqual(len(self.rows), len(set(self.rows)))


if __name__ == "__main__":
    unittest.main()
