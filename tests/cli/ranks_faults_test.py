"""Ranks that die, stop or run out of something: the others end, say why, and leave nothing behind."""

import os
import re
import signal
import subprocess
import unittest

from command import CommandTest
from rank_processes import RankProcesses, big_model, endless_model, is_gone, long_prompt, state, wait_until

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
        for phase in PHASES[:3]:
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


if __name__ == "__main__":
    unittest.main()
