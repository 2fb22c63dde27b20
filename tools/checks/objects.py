"""What the compiled objects say: an ISA's code stays in its namespace, and nothing but base/math calls libm's functions."""

import re
import subprocess
from pathlib import Path

from checks.source import Findings

# glibc changes the bits of these with the CPU; sqrt, fma, floor, ceil, rint, ldexp and the like are exact.
_LIBM = """exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt hypot sin cos tan sincos asin acos atan atan2
           sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma""".split()
LIBM = {name + suffix for name in _LIBM for suffix in ("", "f", "l")}
MATH_SOURCE = re.compile(r"^colonnade/base/math\w*\.cc$")
ISA_SOURCE = re.compile(r"^colonnade/kernels/isa_(\w+)\.cc$")


def objects(root, build):
    """Yields (source relative to root, object file) of the library and the command, newest compilation only."""
    for path in sorted(Path(build).rglob("*.cc.o")):
        match = re.search(r"/(colonnade_(\w+)|colonnade)\.dir/(.+)\.o$", path.as_posix())
        if not match:
            continue
        # A target that CMake made in a subdirectory names its sources from there.
        for source in (match.group(3), f"colonnade/cli/{match.group(3)}"):
            if source.startswith("colonnade/") and (Path(root) / source).exists():
                yield source, path
                break


def symbols(path, nm="nm"):
    """[(kind, mangled name)] of an object file, as nm prints them."""
    lines = subprocess.run([nm, "--format=posix", str(path)], check=True, capture_output=True, text=True).stdout
    return [(line.split()[1], line.split()[0]) for line in lines.splitlines()]


def in_namespace(mangled, isa):
    """True for a mangled name in colonnade::kernels::<isa>; its statics, guards and tables count as in it."""
    nested = f"9colonnade7kernels{len(isa)}{isa}"
    return bool(re.match(rf"_Z(TV|TI|TS|TT|GV)*Z?N[rVK]*{nested}", mangled))


def demangle(name):
    return subprocess.run(["c++filt", name], check=True, capture_output=True, text=True).stdout.strip()


def check(root, build=None):
    findings = Findings()
    build = Path(build or Path(root) / "build/release")
    found = list(objects(root, build))
    if not found:
        findings.error(build, 1, "holds no objects of the library: build it first")
    for source, path in found:
        names = symbols(path)
        isa = ISA_SOURCE.match(source)
        if isa:
            _check_isa(findings, source, isa.group(1), names)
        if not MATH_SOURCE.match(source):
            for kind, name in names:
                if kind == "U" and name.split("@")[0] in LIBM:
                    findings.error(source, 1, f"calls {name}: its bits depend on the CPU; base/math has our own")
    return findings


def _check_isa(findings, source, isa, names):
    """Undefined symbols (U, w, v) and local ones (lower case, but u: unique) do not meet other objects' copies.

    DW.ref.* is the compiler's pointer to a routine of its own, the same in every object.
    """
    for kind, name in names:
        exported = ((kind.isupper() and kind != "U") or kind == "u") and not name.startswith("DW.ref.")
        if exported and not in_namespace(name, isa):
            findings.error(source, 1, f"exports {demangle(name)} outside of colonnade::kernels::{isa}")
