"""Words that do not belong in the tree: promises of later work, and paths of one machine."""

import re

from checks.source import Findings

# Put together here, so that this file passes its own check.
FORBIDDEN = {
    r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b": "unfinished work: do it, or leave it out",
    r"(?<![\w.])/(wo" r"rk|ro" r"ot|ho" r"me)/\w": "a path of one machine",
}
TEXT_SUFFIXES = {".h", ".cc", ".py", ".sh", ".md", ".cmake", ".txt", ".json", ".1", ""}
FOLDERS = ("colonnade", "tests", "bench", "examples", "tools", "docs", "cmake", ".ci")
# What tests read is data: a corpus or a template may hold any word.
DATA = ("tests/data/",)


def text_files(root):
    for path in sorted(root.iterdir()):
        if path.is_file() and path.name not in ("LICENSE", ".git") and path.suffix in TEXT_SUFFIXES:
            yield path
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in TEXT_SUFFIXES and "__pycache__" not in path.parts:
                yield path


def check(root):
    findings = Findings()
    for path in text_files(root):
        name = path.relative_to(root).as_posix()
        if name.startswith(DATA):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for pattern, reason in FORBIDDEN.items():
                match = re.search(pattern, line)
                if match:
                    findings.error(name, number, f"'{match.group(0)}': {reason}")
    return findings
