"""clang-format decides what the C++ files look like."""

import subprocess

from checks.source import Findings, code_files


def check(root):
    findings = Findings()
    files = [str(path) for path in code_files(root)]
    if not files:
        return findings
    result = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=root, capture_output=True, text=True)
    if result.returncode != 0:
        unformatted = sorted({line.split(":")[0] for line in result.stderr.splitlines() if ": error:" in line})
        for path in unformatted:
            findings.error(path, 1, "not formatted: make format")
        if not unformatted:
            findings.error(".clang-format", 1, result.stderr.strip())
    return findings


def fix(root):
    subprocess.run(["clang-format", "-i", *map(str, code_files(root))], cwd=root, check=True)
