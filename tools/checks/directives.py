"""The preprocessor: #pragma once in every header, conditions only where a variant cannot be a file that CMake chooses."""

import re

from checks.source import Findings, blank, code_files

CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)\b", re.MULTILINE)

MAY_HAVE_CONDITIONS = re.compile(
    r"""^colonnade/(
        kernels/(isa_\w+\.cc|.*\.inl\.h)   # one file per instruction set, and what it is made of
      | device/devices\.cc                 # which devices were built
      | comm/backends\.cc                  # which transports were built
      | base/half\.h                       # the compiler's 16-bit conversions
      | base/cpu\w*\.(h|cc)                # what the processor can do
      | base/error\.h                      # CN_DCHECK is for debug builds
    )$""",
    re.VERBOSE,
)


def check(root):
    findings = Findings()
    for path in code_files(root):
        text = blank((root / path).read_text())
        if path.suffix == ".h" and not re.search(r"^#pragma once$", text, re.MULTILINE):
            findings.error(path, 1, "header without #pragma once")
        if path.parts[0] != "colonnade" or MAY_HAVE_CONDITIONS.match(path.as_posix()):
            continue
        for match in CONDITION.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            findings.error(path, line, f"#{match.group(1)}: make the variant a file that CMake chooses")
    return findings
