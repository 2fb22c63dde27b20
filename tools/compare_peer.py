#!/usr/bin/env python3
"""Speed of `colonnade bench` beside the peer's llama-bench: same file, same threads, in turns, medians.

  compare_peer.py --peer PATH/llama-bench -m a.gguf -m b.gguf -t 1,2

One round runs both programs once per model and thread count, and the order of the two changes every round, so that what
else the machine does hits both. Each program measures one prompt of -p tokens and one generation of -n. The table gives
medians of tokens per second, the ratio of the medians, and between which values the ratio lay in single rounds.
docs/measuring.md tells how to build the peer.
"""

import argparse
import json
import pathlib
import shlex
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def command_for(program, model, threads, args):
    words = [*program, "-m", model, "-p", str(args.prompt), "-n", str(args.gen), "-t", str(threads), "-r", "1", "-o", "json"]
    if args.pin:
        cpus = ",".join(str(cpu) for cpu in range(threads))
        words = ["taskset", "-c", cpus, *words]
    if args.realtime:
        words = ["chrt", "-f", "10", *words]
    return words


def parse_speeds(text):
    """Tokens per second by kind, from a JSON list with n_prompt, n_gen and avg_ts as llama-bench writes it."""
    speeds = {}
    for entry in json.loads(text):
        if entry["n_prompt"] and entry["n_gen"]:
            continue
        speeds["prefill" if entry["n_prompt"] else "decode"] = float(entry["avg_ts"])
    return speeds


def run_once(program, model, threads, args):
    command = command_for(program, model, threads, args)
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"compare_peer: exit code {run.returncode} of: {' '.join(command)}\n{run.stderr.strip()}")
    return parse_speeds(run.stdout)


def measure(model, threads, args):
    """{kind: ([ours], [peer's])}, one value per round."""
    result = {}
    programs = [shlex.split(args.ours), shlex.split(args.peer)]
    for round_index in range(args.rounds):
        order = (0, 1) if round_index % 2 == 0 else (1, 0)
        speeds = [{}, {}]
        for which in order:
            speeds[which] = run_once(programs[which], model, threads, args)
        for kind in speeds[0]:
            ours, peer = result.setdefault(kind, ([], []))
            ours.append(speeds[0][kind])
            peer.append(speeds[1][kind])
    return result


def row(model, threads, kind, ours, peer):
    mine, theirs = statistics.median(ours), statistics.median(peer)
    ratios = [a / b for a, b in zip(ours, peer, strict=True)]
    return (
        f"| {pathlib.Path(model).stem} | {threads} | {kind} | {mine:.2f} | {theirs:.2f} | {mine / theirs:.2f} "
        f"| {min(ratios):.2f} .. {max(ratios):.2f} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--model", action="append", required=True, help="GGUF file; may be repeated")
    parser.add_argument("-t", "--threads", default="1,2", help="thread counts, e.g. 1,2 (default)")
    parser.add_argument("-p", "--prompt", type=int, default=512, help="prompt tokens; 0: no prefill")
    parser.add_argument("-n", "--gen", type=int, default=64, help="generated tokens; 0: no decode")
    parser.add_argument("-r", "--rounds", type=int, default=5)
    parser.add_argument("--pin", action="store_true", help="taskset both programs to CPUs 0 .. threads - 1")
    parser.add_argument("--realtime", action="store_true", help="run both ahead of everything else (chrt -f 10; needs root)")
    parser.add_argument("--ours", default=f"{ROOT}/build/release/bin/colonnade bench", help="our command")
    parser.add_argument("--peer", required=True, help="the peer's llama-bench")
    args = parser.parse_args()
    if args.prompt <= 0 and args.gen <= 0:
        parser.error("-p and -n: expected one above 0")
    how = f"{', pinned' if args.pin else ''}{', real-time' if args.realtime else ''}"
    print(f"{args.rounds} rounds, prompt {args.prompt}, generation {args.gen}{how}; tokens per second\n")
    print("| model | threads | what | ours | peer | ratio | in single rounds |\n|---|---:|---|---:|---:|---:|---:|")
    for model in args.model:
        for threads in map(int, args.threads.split(",")):
            for kind, (ours, peer) in measure(model, threads, args).items():
                print(row(model, threads, kind, ours, peer), flush=True)


if __name__ == "__main__":
    sys.exit(main())
