#!/usr/bin/env python3
"""tools/compare_peer.py runs both programs alike, in turns, and prints the ratio of the medians."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "compare_peer.py"

# Writes its name and arguments to $LOG, then the speeds of $NAME.speeds: one line, "prefill decode", per call.
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> {log}
speeds=$(head -n 1 "$0.speeds"); sed -i 1d "$0.speeds"
set -- $speeds
echo '[{{"n_prompt": 512, "n_gen": 0, "avg_ts": '$1'}}, {{"n_prompt": 0, "n_gen": 64, "avg_ts": '$2'}}]'
"""


class ComparePeer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.log = self.folder / "log"

    def stand_in(self, name, speeds):
        path = self.folder / name
        path.write_text(STAND_IN.format(log=self.log))
        path.chmod(0o755)
        Path(f"{path}.speeds").write_text("".join(f"{prefill} {decode}\n" for prefill, decode in speeds))
        return str(path)

    def call(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, env=dict(os.environ))

    def test_ratio_is_that_of_the_medians(self):
        ours = self.stand_in("ours", [(300, 30), (100, 10), (200, 20)])
        peer = self.stand_in("peer", [(100, 40), (100, 40), (100, 5)])
        run = self.call("--ours", f"{ours} bench", "--peer", peer, "-m", "some/small.gguf", "-t", "2", "-r", "3")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("| small | 2 | prefill | 200.00 | 100.00 | 2.00 | 1.00 .. 3.00 |", run.stdout)
        self.assertIn("| small | 2 | decode | 20.00 | 40.00 | 0.50 | 0.25 .. 4.00 |", run.stdout)

    def test_both_get_the_same_arguments_and_take_turns_at_going_first(self):
        ours = self.stand_in("ours", [(1, 1)] * 2)
        peer = self.stand_in("peer", [(1, 1)] * 2)
        run = self.call("--ours", f"{ours} bench", "--peer", peer, "-m", "a.gguf", "-t", "1", "-r", "2", "-p", "64", "-n", "0", "--pin")
        self.assertEqual(run.returncode, 0, run.stderr)
        tail = "-m a.gguf -p 64 -n 0 -t 1 -r 1 -o json"
        self.assertEqual(
            self.log.read_text().splitlines(), [f"ours bench {tail}", f"peer {tail}", f"peer {tail}", f"ours bench {tail}"]
        )

    def test_a_program_that_fails_is_named_with_its_words(self):
        broken = self.folder / "broken"
        broken.write_text("#!/bin/sh\necho 'no such model' >&2; exit 3\n")
        broken.chmod(0o755)
        run = self.call("--ours", str(broken), "--peer", str(broken), "-m", "a.gguf", "-t", "1")
        self.assertEqual(run.returncode, 1)
        self.assertIn("exit code 3", run.stderr)
        self.assertIn("no such model", run.stderr)


if __name__ == "__main__":
    unittest.main()
