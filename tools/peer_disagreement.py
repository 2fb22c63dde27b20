#!/usr/bin/env python3
"""Counts the positions at which the peer's greedy choice is not the f64 reference's, teacher-forced.

  peer_disagreement.py MODEL.gguf tests/data/golden_NAME.json --peer-argmax PATH [--threads 2]
  peer_disagreement.py MODEL.gguf tests/data/perplexity_NAME.json --peer-argmax PATH

The bound on the int8 tier is this count, on the same file. PATH is tools/peer/peer_argmax.cc, compiled: docs/measuring.md.
"""

import argparse
import json
import pathlib
import subprocess
import sys


def sequences_of(file):
    """(name, first position asked for, ids, the reference's choices, its margins) for each sequence of either kind of file."""
    if "prompts" in file:
        for prompt in file["prompts"]:
            ids = prompt["prompt_ids"] + prompt["token_ids"][:-1]
            margins = [top - second for top, second in prompt["top2_logits"]]
            yield prompt["name"], len(prompt["prompt_ids"]) - 1, ids, prompt["token_ids"], margins
    else:
        n_ctx = file["n_ctx"]
        for i, (choices, margins) in enumerate(zip(file["argmax"], file["margin"], strict=True)):
            yield f"window {i + 1}", n_ctx // 2, file["ids"][i * n_ctx : (i + 1) * n_ctx - 1], choices, margins


def peer_choices(args, sequences):
    lines = [" ".join(map(str, [first, *ids])) + "\n" for _, first, ids, _, _ in sequences]
    command = [args.peer_argmax, args.model, str(args.threads)]
    run = subprocess.run(command, input="".join(lines), capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"peer_disagreement: {args.peer_argmax} failed: {run.stderr.strip()}")
    return [list(map(int, line.split())) for line in run.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="GGUF file")
    parser.add_argument("golden", help="golden_NAME.json or perplexity_NAME.json of that file")
    parser.add_argument("--peer-argmax", required=True)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    sequences = list(sequences_of(json.loads(pathlib.Path(args.golden).read_text(encoding="utf-8"))))
    all_margins = []
    total = 0
    print("| sequence | positions | disagree | largest f64 margin among them |\n|---|---:|---:|---:|")
    for (name, _, _, choices, margins), peer in zip(sequences, peer_choices(args, sequences), strict=True):
        here = [margin for choice, margin, other in zip(choices, margins, peer, strict=True) if other != choice]
        print(f"| {name} | {len(choices)} | {len(here)} | {max(here, default=0):.3f} |")
        all_margins += here
        total += len(choices)
    share = 100 * len(all_margins) / total
    print(f"| all | {total} | {len(all_margins)} ({share:.1f} %) | {max(all_margins, default=0):.3f} |")


if __name__ == "__main__":
    sys.exit(main())
