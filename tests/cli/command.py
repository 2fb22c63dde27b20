"""What the tests of the command share: running it as a user would, and models to run it with."""

import atexit
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COLONNADE = pathlib.Path(os.environ.get("COLONNADE_BIN", ROOT / "build/release/bin")) / "colonnade"


@functools.cache
def scratch():
    """A folder that is gone when the tests have ended."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="colonnade-cli-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def tiny_model(*arguments):
    """The path of a small random model; `arguments` are make_random_gguf.py's."""
    path = scratch() / f"tiny{len(list(scratch().glob('tiny*')))}.gguf"
    maker = [sys.executable, ROOT / "tools/make_random_gguf.py", "--preset", "tiny", "--type", "q8_0", *arguments, path]
    subprocess.run(maker, check=True)
    return str(path)


@functools.cache
def real_model():
    """The path of SmolLM2. Skips the test where it is not cached; in CI it has to be."""
    cache = pathlib.Path(os.environ.get("COLONNADE_CACHE") or pathlib.Path.home() / ".cache/colonnade")
    path = cache / "models/smollm2-135m.gguf"
    if not path.exists():
        if os.environ.get("CI"):
            raise AssertionError(f"{path} is missing: tools/get_model smollm2-135m")
        raise unittest.SkipTest(f"{path} is missing: tools/get_model smollm2-135m")
    return str(path)


def call(*words, stdin=b"", env=None, **options):
    """Runs the command to its end; both outputs are bytes."""
    environment = {**os.environ, **(env or {})}
    return subprocess.run([COLONNADE, *words], input=stdin, capture_output=True, env=environment, timeout=120, **options)


class CommandTest(unittest.TestCase):
    maxDiff = None

    def ok(self, *words, **options):
        """Standard output of a call that succeeds."""
        result = call(*words, **options)
        self.assertEqual(result.returncode, 0, result.stderr.decode(errors="replace"))
        return result.stdout

    def ok_json(self, *words, **options):
        return json.loads(self.ok(*words, "--json", **options))

    def fails(self, code, *words, **options):
        """The message of a call that ends with `code`: one line, and nothing on standard output."""
        result = call(*words, **options)
        message = result.stderr.decode()
        self.assertEqual(result.returncode, code, message)
        self.assertEqual(result.stdout, b"")
        self.assertTrue(message.startswith("colonnade: error: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        return message
