"""The command on a terminal."""

import contextlib
import os
import pty
import re
import select
import time

from command import COLONNADE

PROMPT = rb"> \r\x1b\[2C"  # drawn, with the cursor behind it


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, *words, env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            environment = {**os.environ, "TERM": "xterm", **(env or {})}
            environment.pop("NO_COLOR", None) if "NO_COLOR" not in (env or {}) else None
            os.execve(COLONNADE, [str(COLONNADE), *words], environment)
        self.seen = b""

    def type(self, text):
        os.write(self.fd, text)

    def read_until(self, pattern, timeout=60):
        """Everything since the last call up to the pattern; fails when it does not come."""
        end = time.monotonic() + timeout
        while not (match := re.search(pattern, self.seen)):
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            block = b""
            with contextlib.suppress(OSError):  # the other side is gone
                block = os.read(self.fd, 65536) if ready else b""
            if not block:
                raise AssertionError(f"{pattern!r} did not come; got {self.seen!r}")
            self.seen += block
        text, self.seen = self.seen[: match.end()], self.seen[match.end() :]
        return text

    def exit_code(self):
        with contextlib.suppress(OSError):
            while block := os.read(self.fd, 65536):
                self.seen += block
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)
