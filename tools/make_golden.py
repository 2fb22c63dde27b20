#!/usr/bin/env python3
"""Makes tests/data/golden_NAME.json and tests/data/perplexity_NAME.json from an f64 reference run.

  make_golden.py continuations MODEL.gguf --name NAME     10 prompts, greedy, 64 tokens each
  make_golden.py perplexity MODEL.gguf --name NAME        the text of tests/data/opticks_query_31.txt

The reference is transformers in f64 on the weights that the `gguf` package dequantizes to f32: tools/reference_model.py.

golden_NAME.json: {"model", "made_with", "steps", "prompts": [{
  "name", "text", "prompt_ids",
  "token_ids"     [steps]     the greedy choice after prompt_ids + token_ids[:i]; end tokens are tokens like any other
  "second_ids"    [steps]     the id with the second largest logit
  "top2_logits"   [steps][2]  the logits of the two
  "mean"          [steps]     of all logits
  "logsumexp"     [steps]     of all logits
  "probe_ids"     [5]         fixed ids, spread over the vocabulary
  "probe_logits"  [steps][5]  their logits
  "wide_ids", "wide_logits"   [256]  of the last step, for one prompt
}]}
All numbers are f64 results, rounded to 5 decimals.

perplexity_NAME.json: {"model", "made_with", "text", "n_ctx",
  "ids"           [n_tokens]       the text's, the first of each window as it was run
  "window_nll"    [windows]        sum of the negative log-likelihoods of a window's scored positions
  "perplexity"
  "argmax"        [windows][n_ctx / 2 - 1]   the id with the largest logit at each scored position
  "margin"        [windows][n_ctx / 2 - 1]   how far its logit is above the second, rounded to 3 decimals
}
Method, the one of llama-perplexity: the ids of the whole text (BOS in front if the model asks for it) are cut into windows of
n_ctx, a shorter rest is dropped; every window is a sequence of its own (its first id replaced by BOS if the model asks for it);
the logits of positions n_ctx/2 .. n_ctx-2 are scored against the next id; perplexity = exp(mean negative log-likelihood).
"""

import argparse
import json
import math
import pathlib
import re
import sys

import torch
import transformers

import reference_model

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"
TEXT = "opticks_query_31.txt"
STEPS = 64
PROBES = 5
WIDE = 256
WIDE_PROMPT = "long"
N_CTX = 512
SHORT_IDS = 100  # longer prompts run apart: padding costs time

PROMPTS = {
    "english": "The old lighthouse keeper climbed the stairs every evening, and",
    "code": 'def fibonacci(n):\n    """Return the n-th Fibonacci number."""\n',
    "chinese": "从前有一座山，山里有一座庙，庙里有一个老和尚",
    "emoji": "My favourite emoji are 🍕, 🎉, 👩‍👩‍👧‍👦, 🏳️‍🌈 and",
    "space": " ",
    "long": None,  # the first paragraphs of TEXT
    "chat": "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n"
    "What is the tallest mountain in the world?<|im_end|>\n<|im_start|>assistant\n",
    "cyrillic": "В некотором царстве, в некотором государстве жил-был",
    "json": '{"name": "Ada Lovelace", "born": 1815, "fields": ["mathematics", "',
    "maths": "Let 3x + 4 = 19. Then 3x = 15, so x = 5.\nLet 7y - 6 = 50. Then",
}
LONG_PARAGRAPHS = 2  # unless --long-paragraphs says another number


def rounded(values):
    return [round(float(value), 5) for value in values]


def spread_ids(count, vocabulary, salt):
    """`count` different ids in ascending order, the same in every run (Knuth's multiplicative hash)."""
    ids = []
    counter = salt * 1000003
    while len(ids) < count:
        counter += 1
        candidate = (counter * 2654435761 % 2**32) * vocabulary >> 32
        if candidate not in ids:
            ids.append(candidate)
    return sorted(ids)


def summarize(record, logits, probe_ids):
    """Appends one step's numbers to `record`; logits [V] f64."""
    top = torch.topk(logits, 2)
    record["token_ids"].append(int(top.indices[0]))
    record["second_ids"].append(int(top.indices[1]))
    record["top2_logits"].append(rounded(top.values))
    record["mean"].append(round(float(logits.mean()), 5))
    record["logsumexp"].append(round(float(torch.logsumexp(logits, 0)), 5))
    record["probe_logits"].append(rounded(logits[probe_ids]))


def start_record(model, name, text, ids, salt):
    probe_ids = spread_ids(PROBES, model.config.vocab_size, salt)
    record = {"name": name, "text": text, "prompt_ids": ids, "token_ids": [], "second_ids": [], "top2_logits": []}
    return record | {"mean": [], "logsumexp": [], "probe_ids": probe_ids, "probe_logits": []}


def continue_together(model, records):
    """Adds STEPS greedy tokens to every record; the shorter prompts are padded on the left, out of every sum."""
    longest = max(len(record["prompt_ids"]) for record in records)
    pads = [longest - len(record["prompt_ids"]) for record in records]
    ids = torch.tensor([[0] * pad + record["prompt_ids"] for pad, record in zip(pads, records)])
    mask = torch.tensor([[0] * pad + [1] * (longest - pad) for pad in pads])
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    cache = transformers.DynamicCache(config=model.config)
    for _ in range(STEPS):
        output = model(ids, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True, logits_to_keep=1)
        for record, logits in zip(records, output.logits[:, -1]):
            summarize(record, logits, record["probe_ids"])
        ids = torch.tensor([record["token_ids"][-1:] for record in records])
        mask = torch.cat([mask, torch.ones_like(ids)], dim=1)
        positions = positions[:, -1:] + 1
    for record, logits in zip(records, output.logits[:, -1]):
        if record["name"] == WIDE_PROMPT:
            record["wide_ids"] = spread_ids(WIDE, model.config.vocab_size, len(PROMPTS))
            record["wide_logits"] = rounded(logits[record["wide_ids"]])


def write_json(path, value):
    """A line per member: small, and readable in a diff."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = re.sub(r',("[a-z_0-9]+":)', r",\n\1", text).replace("[{", "[\n{").replace("},{", "},\n{")
    path.write_text(text + "\n", encoding="utf-8")


def made_with():
    return f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}, f64"


def make_continuations(args, model, tokenizer):
    starts_with_bos, bos = reference_model.begins_with_bos(args.model)
    records = []
    for salt, (name, text) in enumerate(PROMPTS.items()):
        if text is None:
            text = "\n\n".join((DATA / TEXT).read_text(encoding="utf-8").split("\n\n")[: args.long_paragraphs])
        ids = ([bos] if starts_with_bos else []) + tokenizer.encode(text, add_special_tokens=False).ids
        records.append(start_record(model, name, text, ids, salt))
    continue_together(model, [record for record in records if len(record["prompt_ids"]) > SHORT_IDS])
    continue_together(model, [record for record in records if len(record["prompt_ids"]) <= SHORT_IDS])
    for record in records:
        answer = tokenizer.decode(record["token_ids"], skip_special_tokens=False)
        print(f"{record['name']} ({len(record['prompt_ids'])} ids): {answer!r}", flush=True)
    output = DATA / f"golden_{args.name}.json"
    write_json(output, {"model": args.name, "made_with": made_with(), "steps": STEPS, "prompts": records})


def make_perplexity(args, model, tokenizer):
    starts_with_bos, bos = reference_model.begins_with_bos(args.model)
    text = (DATA / TEXT).read_text(encoding="utf-8")
    ids = ([bos] if starts_with_bos else []) + tokenizer.encode(text, add_special_tokens=False).ids
    n_ctx = args.n_ctx
    kept = n_ctx - n_ctx // 2  # logits from position n_ctx/2 on; the last has no next id
    record = {"model": args.name, "made_with": made_with(), "text": TEXT, "n_ctx": n_ctx, "ids": ids}
    record |= {"window_nll": [], "perplexity": 0, "argmax": [], "margin": []}
    nll = 0.0
    for begin in range(0, len(ids) - n_ctx + 1, n_ctx):
        window = ids[begin : begin + n_ctx]
        if starts_with_bos:
            window[0] = record["ids"][begin] = bos
        logits = model(torch.tensor([window]), logits_to_keep=kept).logits[0, :-1]  # [kept - 1, V]
        next_ids = torch.tensor(window[-kept + 1 :])
        window_nll = float(-torch.log_softmax(logits, dim=-1).gather(1, next_ids[:, None]).sum())
        top = torch.topk(logits, 2)
        record["window_nll"].append(round(window_nll, 6))
        record["argmax"].append(top.indices[:, 0].tolist())
        record["margin"].append([round(float(a - b), 3) for a, b in top.values])
        nll += window_nll
        print(f"window {len(record['argmax'])}: {math.exp(window_nll / (kept - 1)):.4f}", flush=True)
    record["perplexity"] = round(math.exp(nll / (len(record["argmax"]) * (kept - 1))), 6)
    write_json(DATA / f"perplexity_{args.name}.json", record)
    print(f"{args.name}: {len(ids)} ids, perplexity {record['perplexity']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["continuations", "perplexity"])
    parser.add_argument("model", help="GGUF file")
    parser.add_argument("--name", required=True, help="short name of the model: names the output")
    parser.add_argument("--long-paragraphs", type=int, default=LONG_PARAGRAPHS, help="of the text, for the prompt `long`")
    parser.add_argument("--n-ctx", type=int, default=N_CTX, help="window of the perplexity")
    args = parser.parse_args()
    transformers.logging.disable_progress_bar()
    model = reference_model.load_model(args.model)
    tokenizer = reference_model.load_tokenizer(args.model)
    with torch.no_grad():
        {"continuations": make_continuations, "perplexity": make_perplexity}[args.what](args, model, tokenizer)


if __name__ == "__main__":
    sys.exit(main())
