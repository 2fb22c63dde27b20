"""Relative links in the documents lead to files that exist."""

import re

from checks.source import Findings

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def check(root):
    findings = Findings()
    for path in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")]):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for target in LINK.findall(line):
                if not (path.parent / target).exists():
                    findings.error(path.relative_to(root), number, f"links to {target}, which does not exist")
    return findings
