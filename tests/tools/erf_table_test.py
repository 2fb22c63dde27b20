#!/usr/bin/env python3
"""colonnade/base/erf_table.h is what tools/make_erf_table.py writes."""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ErfTable(unittest.TestCase):
    def test_the_committed_table_is_what_the_tool_writes(self):
        made = subprocess.run([sys.executable, ROOT / "tools/make_erf_table.py"], check=True,
                              capture_output=True, text=True).stdout
        self.assertEqual(made, (ROOT / "colonnade/base/erf_table.h").read_text())


if __name__ == "__main__":
    unittest.main()
