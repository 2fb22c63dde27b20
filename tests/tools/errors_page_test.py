#!/usr/bin/env python3
"""docs/errors.md lists only texts that messages have: each stands in the sources; … divides one into pieces."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def listed(page):
    """The messages: the code span that begins a row of a table."""
    return re.findall(r"^\| `([^`]+)` \|", page, flags=re.MULTILINE)


def literals():
    """The string literals of the sources; those that stand side by side are one."""
    texts = []
    for path in sorted((ROOT / "colonnade").rglob("*.cc")) + sorted((ROOT / "colonnade").rglob("*.h")):
        source = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
        texts += re.findall(r'"((?:[^"\\\n]|\\.)*)"', source)
    return "\n".join(texts)


class ErrorsPage(unittest.TestCase):
    def test_every_listed_message_is_one_that_the_sources_have(self):
        messages = listed((ROOT / "docs/errors.md").read_text(encoding="utf-8"))
        self.assertGreater(len(messages), 30)
        known = literals()
        for message in messages:
            for piece in message.split("…"):
                self.assertIn(piece, known, message)


if __name__ == "__main__":
    unittest.main()
