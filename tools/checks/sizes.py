"""Files and functions that a reader can hold in the head: lines per file and per function body.

Functions are found by counting braces: an opening brace after a parenthesis, outside of every other body, begins one.
"""

import re

from checks.source import Findings, blank, code_files, is_generated

# (soft: a warning, hard: an error)
FILE_LINES = {".h": (150, 600), ".cc": (350, 600)}
FUNCTION_LINES = (50, 80)
KERNEL_LINES = (80, 120)

_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n[^\n]*)*", re.MULTILINE)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def function_bodies(text):
    """Yields (line of the opening brace, lines of the body with both braces) of every function outside of others."""
    text = _DIRECTIVE.sub(_blank_lines, blank(text))
    braces, parentheses, inside, began, head_start, head_of_body = 0, 0, None, 0, 0, 0
    for match in re.finditer(r"[(){};]", text):
        symbol, line = match.group(0), text.count("\n", 0, match.start()) + 1
        parentheses += {"(": 1, ")": -1}.get(symbol, 0)
        if parentheses > 0 or symbol == ")":
            continue  # default arguments and lambdas among arguments begin nothing
        if symbol == "{":
            if inside is None and _begins_function(text[head_start : match.start()]):
                inside, began, head_of_body = braces, line, head_start
            braces += 1
        elif symbol == "}":
            braces -= 1
            if inside == braces:
                inside = None
                if text[match.end() :].lstrip()[:1] in (",", "{"):  # was a member's initializer: a_{1}, b_{2} {
                    head_start = head_of_body
                    continue
                yield began, line - began + 1
        head_start = match.end()


def _blank_lines(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def _begins_function(head):
    head = re.sub(r"\b(alignas|decltype|__attribute__)\s*\(+[^()]*\)+", " ", head)
    head = re.sub(r"\b(class|typename)\b(?=[^<>]*[,>])", " ", head)  # template <class T>
    head = re.sub(r"\b(public|private|protected)\s*:(?!:)", " ", head)
    if "(" not in head:
        return False
    return not _SCOPE.search(head.split("(")[0]) and not re.search(r"=\s*$", head)


def check(root):
    findings = Findings()
    for path in code_files(root):
        text = (root / path).read_text()
        if is_generated(text):
            continue
        soft, hard = FILE_LINES[path.suffix]
        _judge(findings, path, 1, "file", text.count("\n"), soft, hard)
        is_kernel = path.parts[:2] == ("colonnade", "kernels")
        soft, hard = KERNEL_LINES if is_kernel else FUNCTION_LINES
        for line, lines in function_bodies(text):
            _judge(findings, path, line, "function", lines, soft, hard)
    return findings


def _judge(findings, path, line, what, lines, soft, hard):
    if lines > hard:
        findings.error(path, line, f"{what} of {lines} lines: at most {hard}, aim at {soft}")
    elif lines > soft:
        findings.warn(path, line, f"{what} of {lines} lines: aim at {soft}")
