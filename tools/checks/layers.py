"""Includes: written from the root, only to folders that layers.txt allows; no heavy or std header where it does harm."""

import re

from checks.source import Findings, blank, code_files

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"(?P<ours>[^"]+)"|<(?P<other>[^>]+)>)', re.MULTILINE)

# One of these in a header costs every file that includes it 0.3 to 7 seconds.
HEAVY = re.compile(r"^(nlohmann/json\.hpp|CLI/|simdjson\.h|pcre2\.h|toml\+\+/|boost/)")

# A file compiled with an ISA's flags takes no inline code from std: the linker may keep its copy for every caller.
ISA_FILE = re.compile(r"^colonnade/kernels/(isa_\w+\.cc|.*\.inl\.h)$")
ISA_INCLUDES = {"immintrin.h", "arm_neon.h", "cstdint", "cstddef", "stdint.h", "stddef.h"}


def read_layers(root, findings):
    """{folder: the folders it may include, itself among them}; a line may name only the folders above it."""
    layers = {}
    for number, line in enumerate((root / "layers.txt").read_text().splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        name, _, below = line.partition(":")
        name, below = name.strip(), below.split()
        for layer in below:
            if layer not in layers:
                findings.error("layers.txt", number, f"'{name}' may include '{layer}', which stands on no line above it")
        layers[name] = {name, *below}
    return layers


def reachable(layers, folder):
    """The folder and everything below it: what a test of it is linked with."""
    found = {folder}
    for name in reversed(list(layers)):  # a line names only lines above it
        if name in found:
            found |= layers[name]
    return found


def allowed_folders(path, layers):
    """The folders that the file may include, or None when its folder has no line in layers.txt."""
    top, folder = path.parts[0], path.parts[1] if len(path.parts) > 2 else ""
    if top == "colonnade" and folder:
        return layers.get(folder)
    if top == "tests" and folder in layers:
        return reachable(layers, folder) | reachable(layers, "device") | {"comm"}
    return set(layers)


def check(root):
    findings = Findings()
    layers = read_layers(root, findings)
    for path in code_files(root):
        text = blank((root / path).read_text(), keep_strings=True)
        allowed = allowed_folders(path, layers)
        if allowed is None:
            findings.error(path, 1, f"folder '{path.parts[1]}' has no line in layers.txt")
            continue
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            _check_include(findings, path, line, match, allowed)
    return findings


def _check_include(findings, path, line, match, allowed):
    ours, other = match.group("ours"), match.group("other")
    if other is not None:
        if path.suffix == ".h" and path.parts[0] == "colonnade" and HEAVY.match(other):
            findings.error(path, line, f"heavy header <{other}> in a header: include it in the .cc alone")
        if ISA_FILE.match(path.as_posix()) and other not in ISA_INCLUDES:
            findings.error(path, line, f"<{other}> in a file that is compiled per ISA: only {', '.join(sorted(ISA_INCLUDES))}")
        return
    parts = ours.split("/")
    if parts[0] not in ("colonnade", "tests", "bench") or ".." in parts:
        findings.error(path, line, f'"{ours}" is not written from the root: "colonnade/<folder>/<file>.h"')
    elif parts[0] != "colonnade" and path.parts[0] == "colonnade":
        findings.error(path, line, f'the library includes "{ours}"')
    elif parts[0] == "colonnade" and len(parts) > 2 and parts[1] not in allowed:
        findings.error(path, line, f"'{path.parts[1]}' may not include '{parts[1]}' (layers.txt)")
