#!/usr/bin/env python3
"""tools/install_packages.sh installs what is absent and nothing else, seen through stand-ins for dpkg-query and apt-get."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "install_packages.sh"


class InstallPackages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.log = self.folder / "log"
        self.log.touch()
        self.stand_in("apt-get", f'echo "apt-get $*" >> {self.log}')
        self.stand_in("sudo", f'echo "sudo" >> {self.log}; exec "$@"')
        self.stand_in("id", "echo 0")
        self.missing()

    def stand_in(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def missing(self, *packages):
        """dpkg-query fails for a package that it never saw, and prints another state for one that was removed."""
        cases = "".join(f"{package}) exit 1;; " for package in packages)
        self.stand_in("dpkg-query", f"for last; do :; done; case $last in {cases} *) echo installed;; esac")

    def call(self, *arguments):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        return subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True)

    def test_nothing_missing_touches_neither_network_nor_sudo(self):
        self.stand_in("id", "echo 1000")
        self.assertEqual(self.call("build", "test").returncode, 0)
        self.assertEqual(self.log.read_text(), "")

    def test_as_root_it_updates_once_and_installs_what_is_missing(self):
        self.missing("cmake", "clang")
        self.assertEqual(self.call("build", "test").returncode, 0)
        update, install = self.log.read_text().splitlines()
        self.assertTrue(update.startswith("apt-get update"))
        self.assertIn("--no-install-recommends", install)
        self.assertTrue(install.endswith(" cmake clang"), install)

    def test_a_group_that_was_not_asked_for_stays_away(self):
        self.missing("clang")
        self.assertEqual(self.call("build").returncode, 0)
        self.assertEqual(self.log.read_text(), "")

    def test_a_removed_package_whose_configuration_stayed_is_missing(self):
        self.stand_in("dpkg-query", "echo config-files")
        self.assertIn("cmake", self.call("--list-missing", "build").stdout.split())

    def test_a_user_installs_through_sudo(self):
        self.stand_in("id", "echo 1000")
        self.missing("cmake")
        self.assertEqual(self.call("build").returncode, 0)
        self.assertEqual(self.log.read_text().splitlines()[0], "sudo")

    def test_the_list_of_what_is_missing_installs_nothing(self):
        self.missing("cmake", "g++")
        self.assertEqual(self.call("--list-missing", "build").stdout.split(), ["g++", "cmake"])
        self.assertEqual(self.log.read_text(), "")

    def test_a_group_that_does_not_exist_is_an_error(self):
        result = self.call("biuld")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'biuld'", result.stderr)


if __name__ == "__main__":
    unittest.main()
