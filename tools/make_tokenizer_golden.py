#!/usr/bin/env python3
"""Makes the golden data of the tokenizer tests with Hugging Face `tokenizers`.

From tests/data/tokenizer/corpus.json (sentences, alphabets and fragments that we wrote) it generates the lines that
tests/text/tokenizer_golden.h generates too, encodes them, and writes into tests/data/tokenizer
  vocabulary.json       a small byte-level BPE, trained on those lines
  small-PRE.json        what that vocabulary gives with each pre-tokenizer
  MODEL.json            what the vocabularies of real models give; they are read from their GGUF files
as digests over all ids, one byte of hash per line to find a difference by, and the first lines' ids in full.

Needs: pip install tokenizers gguf, and the models (tools/get_model).
"""
import argparse
import json
import os
import pathlib

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SEED = 20
LINES = 12000
FULL_LINES = 100
MERGES = 600
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|im_"]
USER_DEFINED = ["<tool_call>", "</tool_call>", "<tool_", "<|im_end|>\n<|im"]
NORMAL_TYPE, CONTROL_TYPE, USER_DEFINED_TYPE = 1, 3, 4
METASPACE = "\u2581"

# The pre-tokenizers of the models' official tokenizer.json, by GGUF's name.
ANY_CASE = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


LETTERS = r"[^\r\n\p{L}\p{N}]?\p{L}+|"
LLAMA3_REST, QWEN2_REST = LETTERS + r"\p{N}{1,3}" + REST, LETTERS + r"\p{N}" + REST


def split_by(pattern):
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level])


GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
PRE_TOKENIZERS = {
    "gpt-2": GPT2,
    "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), GPT2]),
    "llama-bpe": split_by(ANY_CASE + LLAMA3_REST),
    "qwen2": split_by(ANY_CASE + QWEN2_REST),
}


class Random:
    """splitmix64, as tests/support/random.h."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    def below(self, count):
        return self.bits() % count

    def choose(self, items):
        return items[self.below(len(items))]


def scalar_value(random):
    c = random.below(0x110000 - 0x800)
    return chr(c if c < 0xD800 else c + 0x800)


def part(random, corpus, script):
    """A piece of a line. The order of the draws is the same in tests/text/tokenizer_corpus.h."""
    kind = random.below(10)
    if kind < 4:
        sentence = random.choose(script["sentences"])
        start = random.below(len(sentence))
        return sentence[start : start + 1 + random.below(24)]
    if kind < 6:
        word = ""
        for _ in range(1 + random.below(8)):
            first, last = random.choose(script["ranges"])
            word += chr(first + random.below(last - first + 1))
        return word
    if kind < 8:
        return random.choose(corpus["fragments"])
    if kind < 9:
        return "".join(chr(ord("0") + random.below(10)) for _ in range(1 + random.below(6)))
    return scalar_value(random)


def make_lines(corpus):
    lines = []
    for i in range(LINES):
        script = corpus["scripts"][i % len(corpus["scripts"])]
        round_ = i // len(corpus["scripts"])
        if round_ < len(script["sentences"]):
            lines.append(script["sentences"][round_])
            continue
        random = Random(SEED + i)
        line = ""
        for _ in range(1 + random.below(6)):
            line += part(random, corpus, script)
            if random.below(2):
                line += " "
        lines.append(line)
    return lines


def fnv1a(digest, data):
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return digest


FNV_START = 0xCBF29CE484222325


def words_digest(pre_tokenizer, lines):
    """Over the words' lengths in characters, 0 behind each line."""
    digest = FNV_START
    for line in lines:
        lengths = [end - begin for _, (begin, end) in pre_tokenizer.pre_tokenize_str(line)]
        digest = fnv1a(digest, b"".join(n.to_bytes(4, "little") for n in [*lengths, 0]))
    return f"{digest:016x}"


def golden(tokenizer, lines):
    digests = []
    by_line = bytearray()
    for plain in (False, True):
        tokenizer.encode_special_tokens = plain
        digest = FNV_START
        for line in lines:
            ids = tokenizer.encode(line, add_special_tokens=False).ids
            hash_ = fnv1a(FNV_START, b"".join(i.to_bytes(4, "little") for i in ids))
            digest = fnv1a(digest, hash_.to_bytes(8, "little"))
            if not plain:
                by_line.append(hash_ & 0xFF)
        digests.append(f"{digest:016x}")
    tokenizer.encode_special_tokens = False
    words = {} if tokenizer.pre_tokenizer is None else {"words_digest": words_digest(tokenizer.pre_tokenizer, lines)}
    return {
        "made_with": f"tokenizers {tokenizers.__version__}",
        "seed": SEED,
        "lines": len(lines),
        **words,
        "digest": digests[0],
        "digest_without_special": digests[1],
        "line_hashes": by_line.hex(),
        "first_ids": [tokenizer.encode(line, add_special_tokens=False).ids for line in lines[:FULL_LINES]],
    }


def build(vocabulary, pre):
    """The tokenizer that the official tokenizer.json of a model with this pre-tokenizer describes."""
    tokens, types = vocabulary["tokens"], vocabulary["token_types"]
    added = (CONTROL_TYPE, USER_DEFINED_TYPE)
    # An added token gets its id from the model's list or, if it is not there, the next free one. It must not be there where a
    # word that is in the list is taken at once.
    whole_words = pre == "llama-bpe"
    ids = {t: i for i, t in enumerate(tokens) if types[i] == 1 or (types[i] in added and not whole_words)}
    merges = [tuple(m.split(" ")) for m in vocabulary["merges"]]
    model = models.BPE(vocab=ids, merges=merges, ignore_merges=whole_words)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = PRE_TOKENIZERS[pre]
    tokenizer.decoder = decoders.ByteLevel()
    if pre == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    for i, token in enumerate(tokens):
        if types[i] in added:
            special = types[i] == CONTROL_TYPE
            tokenizer.add_tokens([AddedToken(token, special=special, normalized=False)])
            assert tokenizer.token_to_id(token) == i, token
    return tokenizer


def merges_by_score(tokens, scores):
    """What transformers makes of a SentencePiece model's scores for its tokenizer.json: every way to put a token together."""
    ids = {t: i for i, t in enumerate(tokens)}
    merges = []
    for token, score in scores:
        parts = [(token[:k], token[k:]) for k in range(1, len(token))]
        parts = [p for p in parts if p[0] in ids and p[1] in ids]
        merges += [(score, p) for p in sorted(parts, key=lambda p: (ids[p[0]], ids[p[1]]))]
    return [p for _, p in sorted(merges, key=lambda m: m[0], reverse=True)]


def build_gemma(vocabulary):
    """The tokenizer that Gemma's official tokenizer.json describes. There user-defined tokens have the score 0 and runs of
    spaces are spelled with U+2581, so that they are reached by merges only."""
    tokens, types = vocabulary["tokens"], vocabulary["token_types"]
    tokens = [t.replace(" ", METASPACE) if kind == USER_DEFINED_TYPE and not t.strip(" ") else t for t, kind in zip(tokens, types)]
    scores = [0.0 if kind == USER_DEFINED_TYPE else score for score, kind in zip(vocabulary["scores"], types)]
    scored = [(t, s) for t, s, kind in zip(tokens, scores, types) if kind in (NORMAL_TYPE, USER_DEFINED_TYPE)]
    model = models.BPE(
        vocab={t: i for i, t in enumerate(tokens)},
        merges=merges_by_score(tokens, scored),
        unk_token="<unk>",
        fuse_unk=True,
        byte_fallback=True,
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Replace(" ", METASPACE)
    for token, kind in zip(tokens, types):
        if kind in (CONTROL_TYPE, USER_DEFINED_TYPE):
            tokenizer.add_tokens([AddedToken(token, special=kind == CONTROL_TYPE, normalized=False)])
    assert tokenizer.get_vocab_size() == len(tokens)
    return tokenizer


def train(lines):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = GPT2
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    size = len(alphabet) + MERGES
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False))
    trained = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(trained["vocab"], key=trained["vocab"].get) + SPECIAL + USER_DEFINED
    types = [1] * len(trained["vocab"]) + [CONTROL_TYPE] * len(SPECIAL) + [USER_DEFINED_TYPE] * len(USER_DEFINED)
    return {"tokens": tokens, "token_types": types, "merges": [" ".join(m) for m in trained["merges"]]}


def read_gguf(path):
    import gguf

    fields = gguf.GGUFReader(path).fields
    names = {"tokens": "tokens", "token_types": "token_type", "merges": "merges", "scores": "scores"}
    keys = {ours: f"tokenizer.ggml.{theirs}" for ours, theirs in names.items()}
    vocabulary = {ours: fields[key].contents() for ours, key in keys.items() if key in fields}
    return vocabulary, fields["tokenizer.ggml.pre"].contents()


def main():
    cache = pathlib.Path(os.environ.get("COLONNADE_CACHE", pathlib.Path.home() / ".cache/colonnade"))
    here = pathlib.Path(__file__).resolve().parent.parent / "tests/data/tokenizer"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=cache / "models", help="folder of NAME.gguf")
    parser.add_argument("--data", type=pathlib.Path, default=here)
    args = parser.parse_args()

    def write(name, data):
        text = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace('","', '",\n"').replace("],[", "],\n[")
        (args.data / f"{name}.json").write_text(text + "\n")

    corpus = json.loads((args.data / "corpus.json").read_text())
    lines = make_lines(corpus)
    small = train(lines[:3000])
    write("vocabulary", small)
    for pre in PRE_TOKENIZERS:
        write(f"small-{pre}", golden(build(small, pre), lines))
    for name in ("smollm2-135m", "qwen2.5-coder-0.5b"):
        vocabulary, pre = read_gguf(args.models / f"{name}.gguf")
        write(name, golden(build(vocabulary, pre), lines))
    vocabulary, _ = read_gguf(args.models / "gemma3-270m.gguf")
    gemma = build_gemma(vocabulary)
    runs = [["a" + c * n + "b" for c in " \n\t"] for n in range(100)]
    ids = [[gemma.encode(text, add_special_tokens=False).ids for text in row] for row in runs]
    write("gemma3-270m", {**golden(gemma, lines), "runs": ids})


if __name__ == "__main__":
    main()
