"""Every source file with logic has its test: colonnade/FOLDER/NAME.cc has tests/FOLDER/NAME_test.cc."""

import re

from checks.source import Findings, code_files, is_generated

# Tested by running the command, or, one object per instruction set, all at once against the scalar table.
EXEMPT = re.compile(r"^colonnade/(cli/.*|kernels/isa_\w+)\.cc$")

# path: why it needs no test of its own
_FAMILY = "configuration and names alone: tests/api/families_test.cc runs every family"
_TABLES = "a list: tests/kernels/table_test.cc asks for every table of the processor that runs it"
WITHOUT_TEST = {
    **{f"colonnade/models/{family}.cc": _FAMILY for family in
       ("bloom", "gemma2", "gemma3", "gemma_common", "gpt2", "gpt_oss", "llama", "opt", "phi3", "qwen2", "qwen3",
        "qwen3moe")},
    **{f"colonnade/kernels/tables_{processor}.cc": _TABLES for processor in ("arm", "x86")},
}


def test_paths(path):
    """Where the test of colonnade/FOLDER/[SUB/]NAME.cc may stand."""
    folder, *middle, name = path.with_suffix("").parts[1:]
    yield f"tests/{folder}/{'/'.join([*middle, name])}_test.cc"
    if middle:
        yield f"tests/{folder}/{'_'.join([*middle, name])}_test.cc"


def check(root, without_test=None):
    without_test = WITHOUT_TEST if without_test is None else without_test
    findings = Findings()
    for path in code_files(root, suffixes=(".cc",)):
        if path.parts[0] != "colonnade" or EXEMPT.match(path.as_posix()) or path.as_posix() in without_test:
            continue
        if is_generated((root / path).read_text()):
            continue
        wanted = list(test_paths(path))
        if not any((root / test).exists() for test in wanted):
            findings.error(path, 1, f"has no test: expected {' or '.join(wanted)}")
    for path in without_test:
        if not (root / path).exists():
            findings.error("tools/checks/pairs.py", 1, f"exempts {path}, which does not exist")
    return findings
