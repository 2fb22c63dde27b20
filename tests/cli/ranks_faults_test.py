"""Ranks that die, stop or run out of something: the others end, say why, and leave nothing behind."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time
import unittest

from command import COLONNADE, CommandTest, scratch, tiny_model
from rank_processes import RankProcesses, big_model, children_of, endless_model, is_gone, long_prompt, state, wait_until
from terminal import PROMPT, Terminal

RANKS = 3


def loading(*words):
    """All ranks have begun to load."""
    return RankProcesses("run", "-m", big_model(), "-p", "a", "-n", "1", *words, ranks=RANKS)


def reading_the_prompt(*words):
    ranks = RankProcesses("run", "-m", endless_model(), "-c", "0", "--chunk", "1", "-f", long_prompt(), *words, ranks=RANKS)
    ranks.read_note(rb"reading the prompt \[ *\] 0 %")
    return ranks


def answering(*words):
    ranks = RankProcesses("run", "-m", endless_model(), "-c", "0", "-p", "a", "--ignore-eos", *words, ranks=RANKS)
    ranks.read_answer()
    return ranks


def idle(*words):
    """A chat that has answered and waits for the next line of a pipe."""
    ranks = RankProcesses("chat", "-m", endless_model(), "-n", "2", *words, ranks=RANKS, stdin=subprocess.PIPE)
    ranks.process.stdin.write(b"hello\n")
    ranks.process.stdin.flush()
    ranks.process.stdout.readline()
    return ranks


PHASES = (loading, reading_the_prompt, answering, idle)


class Faults(CommandTest):
    def expect_named(self, ranks, victim, what):
        """Standard error ends with the rank, its process and what happened to it."""
        message = ranks.read_note()
        self.assertRegex(message, rf"colonnade: error: rank {victim} of {RANKS} \(process {ranks.pids[victim]} on this machine\) {what}")


class Killed(Faults):
    def test_a_rank_that_is_killed_is_named_and_all_end(self):
        for phase in PHASES:
            for victim in (1, 2):
                with self.subTest(phase=phase.__name__, victim=victim), phase() as ranks:
                    if phase is loading:
                        ranks.send(3 - victim, signal.SIGSTOP)  # so that loading cannot end
                    ranks.send(victim, signal.SIGKILL)
                    self.assertEqual(ranks.ended(), 1)
                    self.expect_named(ranks, victim, r"was killed by signal 9 \(Killed\)")

    def test_all_die_with_rank_0(self):
        for phase in PHASES:
            with self.subTest(phase=phase.__name__), phase() as ranks:
                ranks.send(0, signal.SIGKILL)
                self.assertEqual(ranks.ended(), -signal.SIGKILL)


class Stopped(Faults):
    def test_a_rank_that_is_stopped_is_named_within_the_timeout_and_all_end(self):
        for phase in PHASES:
            for victim in (1, 2):
                with self.subTest(phase=phase.__name__, victim=victim), phase("--timeout", "1") as ranks:
                    ranks.send(victim, signal.SIGSTOP)
                    self.assertEqual(ranks.ended(), 1)
                    self.expect_named(ranks, victim, r"gave no sign of life for 1 s: it (has not come yet and )?is stopped")

    def test_all_give_up_a_rank_0_that_is_stopped(self):
        for phase in PHASES:
            with self.subTest(phase=phase.__name__), phase("--timeout", "1") as ranks:
                ranks.send(0, signal.SIGSTOP)
                ranks.ended(but=(0,))
                self.assertEqual(state(ranks.pids[0]), "T")
                ranks.send(0, signal.SIGCONT)
                self.assertEqual(ranks.ended(), 1)
                self.assertIn("gave no sign of life for 1 s", ranks.read_note())

    def test_ctrl_z_for_longer_than_the_timeout_changes_nothing(self):
        words = ("run", "-m", endless_model(), "-p", "a", "-n", "1500", "--ignore-eos", "--seed", "1")
        whole = self.ok(*words, "--tp", str(RANKS), "-t", "1")
        for begins in (lambda ranks: None, lambda ranks: ranks.read_answer()):
            with RankProcesses(*words, "--timeout", "1", ranks=RANKS) as ranks:
                first = begins(ranks) or b""
                ranks.send_all(signal.SIGTSTP)
                wait_until(lambda: all(state(pid) == "T" for pid in ranks.pids), "all stop")
                time.sleep(2.5)
                ranks.send_all(signal.SIGCONT)
                self.assertEqual(first + ranks.read_all(), whole)
                self.assertEqual(ranks.ended(), 0)


class Interrupted(Faults):
    def test_ctrl_c_or_a_request_to_end_ends_all(self):
        for phase in PHASES[:3]:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(phase=phase.__name__, signal=number), phase() as ranks:
                    ranks.send_all(number)
                    self.assertEqual(ranks.ended(), 130)
                    self.assertNotIn("error", ranks.read_note())

    def test_ctrl_c_ends_the_wait_for_a_rank_that_still_loads(self):
        with loading() as ranks:
            ranks.send(2, signal.SIGSTOP)
            time.sleep(1)  # more than enough for rank 0 to begin to wait; less would test less
            ranks.send_all(signal.SIGINT)
            self.assertEqual(ranks.ended(), 130)

    def test_a_rank_alone_leaves_requests_to_end_to_rank_0(self):
        with answering() as ranks:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                ranks.send(1, number)
            ranks.process.stdout.read(2000)
            self.assertIsNone(ranks.process.poll())
            ranks.send(0, signal.SIGTERM)
            self.assertEqual(ranks.ended(), 130)

    def test_ranks_end_with_a_reader_that_leaves(self):
        with answering() as ranks:
            ranks.process.stdout.close()
            self.assertEqual(ranks.ended(), 141)
            self.assertNotIn("error", ranks.read_note())


class IdleTerminals(Faults):
    def test_a_chat_that_waits_at_its_line_names_the_rank_and_ends(self):
        for victim in (1, 2):
            for number, what in ((signal.SIGKILL, rb"was killed by signal 9"), (signal.SIGSTOP, rb"gave no sign of life for 1 s: it is stopped")):
                with self.subTest(victim=victim, signal=number):
                    terminal = Terminal("chat", "-m", tiny_model(), "--tp", str(RANKS), "-t", "1", "--timeout", "1")
                    terminal.read_until(PROMPT)
                    terminal.type(b"half a line")
                    terminal.read_until(rb"half a line\r\x1b\[13C")
                    ranks = children_of(terminal.pid)
                    os.kill(ranks[victim - 1], number)
                    self.assertEqual(terminal.exit_code(), 1)
                    self.assertRegex(terminal.seen, rb"\n.*colonnade: error: .*rank %d of 3 \(process %d on this machine\) " % (victim, ranks[victim - 1]) + what)
                    self.assertIn(b"\x1b[?2004l", terminal.seen)  # the terminal is as it was
                    for pid in ranks:
                        wait_until(lambda pid=pid: is_gone(pid), f"process {pid} ends")


class NothingLeftOrTaken(Faults):
    def test_ranks_hold_nothing_that_has_a_name_and_nothing_of_standard_input(self):
        with idle() as ranks:
            for pid in ranks.pids:
                files = [os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
                files += pathlib.Path(f"/proc/{pid}/maps").read_text().split()
                self.assertEqual([file for file in files if file.startswith("/dev/shm")], [])
            for pid in ranks.pids[1:]:
                self.assertEqual(os.readlink(f"/proc/{pid}/fd/0"), "/dev/null")
            ranks.process.stdin.write(b"again\n")  # it comes to rank 0 whole
            ranks.process.stdin.close()
            self.assertTrue(ranks.read_all().endswith(b"\n"))
            self.assertEqual(ranks.ended(), 0)

    def test_a_dev_shm_of_64_kb_is_enough(self):
        mount = 'mount -t tmpfs -o size=64k none /dev/shm && exec "$0" "$@"'
        words = ("run", "-m", tiny_model(), "-p", "a", "-n", "8", "--ignore-eos", "--seed", "1", "--tp", str(RANKS))
        unshare = ("unshare", "-m", "sh", "-c", mount)
        if subprocess.run([*unshare[:4], mount.replace('"$0" "$@"', "true")], capture_output=True).returncode != 0:
            self.skipTest("needs root to mount")
        result = subprocess.run([*unshare, COLONNADE, *words], capture_output=True, timeout=120)
        self.assertEqual(result.stderr, b"")
        self.assertEqual(result.stdout, self.ok(*words))


class Resources(Faults):
    @unittest.skipIf(os.environ.get("COLONNADE_SANITIZE"), "sanitizers take address space of their own, and end the process")
    def test_a_rank_that_runs_out_of_memory_says_so(self):
        with loading() as ranks:
            size = int(pathlib.Path(f"/proc/{ranks.pids[1]}/statm").read_text().split()[0]) * resource.getpagesize()
            most = size + (8 << 20)
            resource.prlimit(ranks.pids[1], resource.RLIMIT_AS, (most, most))
            self.assertEqual(ranks.ended(), 1)
            self.assertRegex(ranks.read_note(), r"colonnade: error: rank 1: .*memory")

    def test_a_file_that_is_cut_while_it_is_loaded_is_named_with_the_rank(self):
        path = scratch() / "cut.gguf"
        shutil.copy(big_model(), path)
        with RankProcesses("run", "-m", str(path), "-p", "a", ranks=RANKS) as ranks:
            for rank in (1, 2):
                ranks.send(rank, signal.SIGSTOP)
            os.truncate(path, os.path.getsize(path) // 2)
            for rank in (1, 2):
                ranks.send(rank, signal.SIGCONT)
            self.assertEqual(ranks.ended(), 1)
            self.assertRegex(ranks.read_note(), rf"colonnade: error: rank [012]: .*{path}")

    def test_a_file_that_is_replaced_while_it_is_loaded_is_not_mixed_with_the_new_one(self):
        path = scratch() / "replaced.gguf"
        shutil.copy(big_model(), path)
        words = ("-p", "hello", "-n", "8", "--ignore-eos", "--temp", "0")
        wanted = self.ok("run", "-m", str(path), *words)
        with RankProcesses("run", "-m", str(path), *words, ranks=RANKS) as ranks:
            for rank in (1, 2):
                ranks.send(rank, signal.SIGSTOP)
            other = scratch() / "other.gguf"
            shutil.copy(tiny_model("--seed", "7"), other)
            os.replace(other, path)
            for rank in (1, 2):
                ranks.send(rank, signal.SIGCONT)
            self.assertEqual(ranks.read_all(), wanted)
            self.assertEqual(ranks.ended(), 0)


if __name__ == "__main__":
    unittest.main()
