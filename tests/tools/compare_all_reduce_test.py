#!/usr/bin/env python3
"""tools/compare_all_reduce.py runs all programs in turns and prints medians and ratios."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "compare_all_reduce.py"


class CompareAllReduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.log = self.folder / "log"

    def stand_in(self, name, outputs):
        """A program that logs its name and writes the next of `outputs` at each call."""
        path = self.folder / name
        for number, output in enumerate(outputs):
            (self.folder / f"{name}.{number}").write_text(output)
        path.write_text(
            f"#!/bin/sh\nn=$(grep -cx {name} {self.log} 2>/dev/null); echo {name} >> {self.log}; cat {path}.${{n:-0}}\n"
        )
        path.chmod(0o755)
        return str(path)

    def call(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)

    def test_medians_and_how_many_times_faster(self):
        ours = self.stand_in("ours", ["4 1.0 2.0\n16 3 4\n", "4 1.5 2.5\n16 3 4\n", "4 9 9\n16 3 4\n"])
        peer = self.stand_in("peer", ["4 6.0\n16 6\n", "4 3.0\n16 6\n", "4 1\n16 6\n"])
        run = self.call("--ours", ours, "--peer", f"The peer={peer}", "-r", "3")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("| KiB | in place | copied | The peer |", run.stdout)
        self.assertIn("| 4 | 1.50 | 2.50 | 3.00 | 2.00 | 1.20 |", run.stdout)
        self.assertIn("| 16 | 3.00 | 4.00 | 6.00 | 2.00 | 1.50 |", run.stdout)

    def test_they_take_turns_at_going_first(self):
        ours, peer = self.stand_in("ours", ["4 1 1\n"] * 2), self.stand_in("peer", ["4 1\n"] * 2)
        self.assertEqual(self.call("--ours", ours, "--peer", f"x={peer}", "-r", "2").returncode, 0)
        self.assertEqual(self.log.read_text().split(), ["ours", "peer", "peer", "ours"])

    def test_a_program_that_fails_is_named_with_its_words(self):
        broken = self.folder / "broken"
        broken.write_text("#!/bin/sh\necho 'no such fabric' >&2; exit 3\n")
        broken.chmod(0o755)
        run = self.call("--ours", self.stand_in("ours", ["4 1 1\n"]), "--peer", f"MPI={broken}")
        self.assertEqual(run.returncode, 1)
        self.assertIn("MPI: exit code 3", run.stderr)
        self.assertIn("no such fabric", run.stderr)


if __name__ == "__main__":
    unittest.main()
