#!/usr/bin/env python3
"""Random templates give the same text, or fail, in jinja2 (set up as transformers does) and in Colonnade.

2,000 programs of tools/random_templates.py from a fixed seed; 50,000 from the day's seed if COLONNADE_NIGHTLY is set.
"""
import datetime
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    import jinja2  # noqa: F401
except ImportError:  # Debian's package belongs to Debian's interpreter, which may not be the first in PATH
    if sys.executable == "/usr/bin/python3":
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", __file__, *sys.argv[1:]])
import make_template_golden as golden  # noqa: E402
import random_templates  # noqa: E402

RENDER = pathlib.Path(os.environ.get("COLONNADE_BIN", ROOT / "build/release/bin")) / "render_templates"
NIGHTLY = bool(os.environ.get("COLONNADE_NIGHTLY"))
SEED = datetime.date.today().toordinal() if NIGHTLY else 7
COUNT = 50_000 if NIGHTLY else 2_000


def programs(count):
    scopes = itertools.islice(random_templates.scope_programs(SEED), count // 8)
    return list(itertools.chain(scopes, itertools.islice(random_templates.programs(SEED), count - count // 8)))


def ours(sources):
    work = json.dumps({"variables": golden.VARIABLES, "sources": sources})
    done = subprocess.run([RENDER], input=work.encode(), stdout=subprocess.PIPE, check=True, timeout=1500)
    return [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]


def prints_an_address(outcome):
    """Functions and other objects of Python print where they lie in memory, which differs from run to run."""
    return re.search("0x7[0-9a-f]|in method|object (at|bt)", str(outcome).lower())


def agree(wanted, got):
    """Errors agree if both fail: the words are ours."""
    return "error" in got if "error" in wanted else wanted == got


class RandomTemplates(unittest.TestCase):
    def test_every_program_gives_the_text_of_jinja2_or_fails_as_it_does(self):
        sources = programs(COUNT)
        env = golden.environment()
        wanted = [golden.render(env, source, golden.VARIABLES) for source in sources]
        got = ours(sources)
        self.assertEqual(len(got), len(sources))
        different = [{"source": source, "jinja2": w, "ours": g} for source, w, g in zip(sources, wanted, got)
                     if not prints_an_address(w) and not agree(w, g)]
        self.assertEqual(different[:5], [], f"{len(different)} of {len(sources)} differ, seed {SEED}")
        rendered = sum("output" in outcome for outcome in wanted)
        self.assertGreater(rendered, len(sources) // 2, "most programs have to get to their end")


if __name__ == "__main__":
    unittest.main()
