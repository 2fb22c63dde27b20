"""The command with ranks as processes, held where a fault is to find it."""

import contextlib
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

from command import COLONNADE, scratch, tiny_model

DEADLINE_S = 60  # generous: no test waits so long unless something hangs


def big_model():
    """The path of a model that takes a while to load: 150 MB."""
    return tiny_model("--layers", "40", "--dim", "512", "--ffn", "2048")


def endless_model():
    """The path of a model with a context that no test fills."""
    return tiny_model("--context", "1000000")


def long_prompt():
    """The path of a file with many tokens: with --chunk 1 reading them takes minutes."""
    path = scratch() / "long_prompt.txt"
    path.write_text("a " * 50000)
    return str(path)


def state(pid):
    """The state letter of proc_pid_stat(5); "" where there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_gone(pid):
    return state(pid) in ("", "Z", "X")


def children_of(pid):
    """In the order in which they were started."""
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def wait_until(holds, what):
    end = time.monotonic() + DEADLINE_S
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {DEADLINE_S} s")
        time.sleep(0.002)


class RankProcesses:
    """A command in a process group of its own (in this session: Ctrl-Z does nothing to an orphan) whose standard error is a
    terminal: its bars tell the phase.

    pids[r] is rank r's process; the command itself is rank 0.
    """

    def __init__(self, *words, ranks=3, stdin=subprocess.DEVNULL, env=None):
        self.terminal, stderr = pty.openpty()
        self.seen = b""
        words = [COLONNADE, *words, "--tp", str(ranks), "-t", "1"]
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", **(env or {})}
        self.process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=environment,
                                        process_group=0)
        os.close(stderr)
        self.pids = [self.process.pid]
        wait_until(lambda: len(children_of(self.process.pid)) == ranks - 1 or self.process.poll() is not None, "the ranks start")
        self.pids += children_of(self.process.pid)

    def read_all(self):
        """The rest of the answer."""
        return self.process.stdout.read()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for pid in reversed(self.pids):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        if self.process.stdin:
            self.process.stdin.close()
        os.close(self.terminal)

    def send(self, rank, number):
        os.kill(self.pids[rank], number)

    def send_all(self, number):
        os.killpg(self.process.pid, number)

    def read_note(self, pattern=None):
        """What stands on standard error up to the pattern, or to the end."""
        end = time.monotonic() + DEADLINE_S
        while pattern is None or not re.search(pattern, self.seen):
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            block = b""
            with contextlib.suppress(OSError):  # nobody has the other side any more
                block = os.read(self.terminal, 65536) if ready else b""
            if not block:
                if pattern is None and ready:
                    break
                raise AssertionError(f"{pattern!r} did not come; standard error: {self.seen!r}")
            self.seen += block
        return self.seen.decode(errors="replace")

    def read_answer(self):
        """The first byte of the answer."""
        return os.read(self.process.stdout.fileno(), 1)

    def ended(self, but=()):
        """The exit code, once every process but those of the ranks `but` is gone, and what standard error has then."""
        code = self.process.wait(timeout=DEADLINE_S) if 0 not in but else None
        for rank, pid in enumerate(self.pids):
            if rank not in but:
                wait_until(lambda pid=pid: is_gone(pid), f"rank {rank} ends")
        return code
