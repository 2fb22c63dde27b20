#!/usr/bin/env python3
"""Sums over two ranks of this machine: bench_all_reduce beside MPI libraries, in turns, medians.

  compare_all_reduce.py --peer 'Open MPI=mpirun.openmpi -np 2 ./openmpi_all_reduce' --peer 'MPICH=mpiexec.mpich -n 2 ./mpich_all_reduce'

Every round runs each program once, in another order each time. A peer is tools/peer/mpi_all_reduce.c, compiled with its
library's mpicc (docs/measuring.md); it prints a line "KIB MICROSECONDS" per size, ours "KIB IN_PLACE COPIED". The table
has medians of microseconds, and how many times faster ours is: "copied" does what MPI_Allreduce does, "in place" is what
the layers of a model do.
"""

import argparse
import pathlib
import shlex
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run_once(name, command):
    """{KiB: [microseconds, ...]}"""
    run = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"compare_all_reduce: {name}: exit code {run.returncode} of: {command}\n{run.stderr.strip()}")
    return {int(kib): [float(value) for value in values] for kib, *values in map(str.split, run.stdout.splitlines())}


def measure(programs, rounds):
    """{(name, column): {KiB: median}}"""
    found = {}
    for round_index in range(rounds):
        shift = round_index % len(programs)
        for name, command in programs[shift:] + programs[:shift]:
            for kib, values in run_once(name, command).items():
                for column, value in enumerate(values):
                    found.setdefault((name, column), {}).setdefault(kib, []).append(value)
    return {key: {kib: statistics.median(values) for kib, values in sizes.items()} for key, sizes in found.items()}


def table(medians, peers):
    in_place, copied = medians[("ours", 0)], medians[("ours", 1)]
    head = ["KiB", "in place", "copied"]
    for peer in peers:
        head += [peer, "in place is faster", "copied is faster"]
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---:|" * len(head)
    for kib in sorted(in_place):
        cells = [str(kib), f"{in_place[kib]:.2f}", f"{copied[kib]:.2f}"]
        for peer in peers:
            its = medians[(peer, 0)][kib]
            cells += [f"{its:.2f}", f"{its / in_place[kib]:.2f}", f"{its / copied[kib]:.2f}"]
        yield "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default=f"{ROOT}/build/release/bin/bench_all_reduce --plain", help="command of ours")
    parser.add_argument("--peer", action="append", required=True, metavar="NAME=COMMAND", help="may be repeated")
    parser.add_argument("-r", "--rounds", type=int, default=5, help="rounds (default 5)")
    args = parser.parse_args()
    peers = [tuple(peer.split("=", 1)) for peer in args.peer]
    if any(len(peer) != 2 for peer in peers):
        parser.error("--peer: expected NAME=COMMAND")
    medians = measure([("ours", args.ours), *peers], args.rounds)
    print("\n".join(table(medians, [name for name, _ in peers])))


if __name__ == "__main__":
    main()
