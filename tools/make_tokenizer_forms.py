#!/usr/bin/env python3
"""Makes the golden data of tokenizer.json: one tokenizer in the form of each family's, with a small vocabulary.

Writes into tests/data/tokenizer
  vocabulary-sp.json   a small SentencePiece-like BPE, trained on the corpus of tools/make_tokenizer_golden.py
  forms.json           for every family: its tokenizer.json but for the vocabulary and the merges (those of vocabulary.json
                       or of vocabulary-sp.json), and what Hugging Face `tokenizers` makes of the corpus with it, as digests:
                       ids with and without special tokens in the text, texts with and without them in the output
The components and their order are those of each family's official tokenizer.json.

Needs: pip install tokenizers
"""
import argparse
import json
import pathlib

import make_tokenizer_golden as golden
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

METASPACE = golden.METASPACE
LINES = 6000
BLOCK = 100  # lines per digest
PIECES = 700
BYTES = [f"<0x{b:02X}>" for b in range(256)]
SP_SPECIAL = ["<unk>", "<s>", "</s>"]

ANY_CASE = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
SPACES = r"\s+(?!\S)|\s+"
BLOOM = " ?[^(\\s|[.,!?…。，、।۔،])]+"
GPT_4O = "|".join(
    [
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{ANY_CASE}?",
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{ANY_CASE}?",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|" + SPACES,
    ]
)
TEKKEN = "|".join(
    [
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+",
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*",
        r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|" + SPACES,
    ]
)
GPT_4 = ANY_CASE + r"|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|" + SPACES
DEEPSEEK = [
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|" + SPACES,
]


def splits(*patterns):
    parts = [pre_tokenizers.Split(Regex(p), "isolated") for p in patterns]
    return pre_tokenizers.Sequence([*parts, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def template(token, tokenizer, behind=None):
    ids = [(t, tokenizer.token_to_id(t)) for t in {token, behind} if t]
    end = f" {behind}:0" if behind else ""
    return processors.TemplateProcessing(single=f"{token}:0 $A:0{end}", pair="$A $B", special_tokens=ids)


def byte_level(vocabulary, pre_tokenizer, whole_words=False, in_model=True, normalized=False):
    """`in_model`: the added tokens are in the model's vocabulary, too."""
    tokens, types = vocabulary["tokens"], vocabulary["token_types"]
    ids = {t: i for i, t in enumerate(tokens) if in_model or types[i] == golden.NORMAL_TYPE}
    merges = [tuple(m.split(" ")) for m in vocabulary["merges"]]
    tokenizer = Tokenizer(models.BPE(vocab=ids, merges=merges, ignore_merges=whole_words))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    add_tokens(tokenizer, [(t, kind) for t, kind in zip(tokens, types)], normalized=normalized)
    return tokenizer


def add_tokens(tokenizer, tokens, **flags):
    for token, kind in tokens:
        if kind in (golden.CONTROL_TYPE, golden.USER_DEFINED_TYPE):
            tokenizer.add_tokens([AddedToken(token, special=kind == golden.CONTROL_TYPE, **flags)])


def sentencepiece(vocabulary, **flags):
    tokens, types = vocabulary["tokens"], vocabulary["token_types"]
    tokenizer = Tokenizer(
        models.BPE(
            vocab={t: i for i, t in enumerate(tokens)},
            merges=[tuple(m) for m in vocabulary["merges"]],
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    add_tokens(tokenizer, [(t, golden.CONTROL_TYPE if k == 2 else k) for t, k in zip(tokens, types)], **{"normalized": False, **flags})
    parts = [decoders.Replace(METASPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*parts, decoders.Strip(" ", 1, 0)])
    return tokenizer


def llama_normalizer():
    return normalizers.Sequence([normalizers.Prepend(METASPACE), normalizers.Replace(" ", METASPACE)])


def families(bytes_, pieces):
    """name -> (tokenizer, vocabulary's file)"""
    gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), gpt2])
    out = {
        "gpt2": byte_level(bytes_, gpt2, normalized=True),
        "gpt2-prefix-space": byte_level(bytes_, pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=True)),
        "opt": byte_level(bytes_, gpt2, normalized=True),
        "phi-2": byte_level(bytes_, gpt2, in_model=False),
        "bloom": byte_level(bytes_, splits(BLOOM)),
        "smollm": byte_level(bytes_, digits),
        "llama3": byte_level(bytes_, splits(ANY_CASE + "|" + golden.LLAMA3_REST), whole_words=True, in_model=False),
        "qwen2": byte_level(bytes_, splits(ANY_CASE + "|" + golden.QWEN2_REST), in_model=False),
        "gpt-oss": byte_level(bytes_, splits(GPT_4O), in_model=False),
        "mistral-nemo": byte_level(bytes_, splits(TEKKEN), whole_words=True),
        "phi-4": byte_level(bytes_, splits(GPT_4), in_model=False),
        "deepseek-v3": byte_level(bytes_, splits(*DEEPSEEK), in_model=False),
    }
    out["opt"].post_processor = template("<|endoftext|>", out["opt"])
    out["llama3"].post_processor = processors.Sequence(
        [processors.ByteLevel(trim_offsets=False), template("<|im_start|>", out["llama3"])]
    )
    out["mistral-nemo"].post_processor = template("<|im_start|>", out["mistral-nemo"])
    out["qwen2"].normalizer = normalizers.NFC()
    out["deepseek-v3"].normalizer = normalizers.Sequence([])
    vocabularies = dict.fromkeys(out, "vocabulary")

    sp = {
        "llama2": sentencepiece(pieces),
        "llama2-normalized-tokens": sentencepiece(pieces, normalized=True),
        "phi-3": sentencepiece(pieces, rstrip=True),
        "strip-left": sentencepiece(pieces, lstrip=True, single_word=True),
        "mistral-v3": sentencepiece(pieces),
        "metaspace-split": sentencepiece(pieces),
        "gemma": sentencepiece(pieces),
    }
    for name in ("llama2", "llama2-normalized-tokens", "phi-3", "strip-left"):
        sp[name].normalizer = llama_normalizer()
    for name in ("llama2", "llama2-normalized-tokens"):
        sp[name].post_processor = template("<s>", sp[name], "</s>")
    sp["mistral-v3"].pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    sp["mistral-v3"].post_processor = template("<s>", sp["mistral-v3"])
    sp["metaspace-split"].pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    sp["gemma"].normalizer = normalizers.Replace(" ", METASPACE)
    sp["gemma"].pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    sp["gemma"].decoder = decoders.Sequence([decoders.Replace(METASPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
    sp["gemma"].post_processor = template("<s>", sp["gemma"])
    vocabularies.update(dict.fromkeys(sp, "vocabulary-sp"))
    out.update(sp)
    return {name: (tokenizer, vocabularies[name]) for name, tokenizer in out.items()}


def train_pieces(lines):
    """Pieces as SentencePiece trains them, their scores and all merges that lead to one."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", METASPACE)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(METASPACE, "merged_with_next")
    trainer = trainers.BpeTrainer(vocab_size=PIECES, limit_alphabet=250, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    trained = json.loads(tokenizer.to_str())["model"]
    words = sorted(trained["vocab"], key=trained["vocab"].get)
    merged = {a + b for a, b in trained["merges"]}
    learned = [w for w in words if w in merged] + [METASPACE * 2, METASPACE * 4, METASPACE * 3]
    letters = [w for w in words if w not in merged]
    added = golden.SPECIAL + golden.USER_DEFINED
    tokens = SP_SPECIAL + BYTES + learned + letters + added
    counts = [1, len(SP_SPECIAL) - 1, len(BYTES), len(learned) + len(letters), len(golden.SPECIAL), len(golden.USER_DEFINED)]
    types = [kind for kind, n in zip([2, 3, 6, 1, 3, 4], counts) for _ in range(n)]
    first = len(SP_SPECIAL) + len(BYTES)
    scores = [0.0] * first + [-float(i) for i in range(len(learned) + len(letters))] + [0.0] * len(added)
    for i, token in enumerate(tokens):
        if token.strip(METASPACE) == "" and len(token) > 1:
            scores[i] = -1e9
    scored = [(t, s) for t, s, kind in zip(tokens, scores, types) if kind == 1]
    return {"tokens": tokens, "token_types": types, "scores": scores, "merges": golden.merges_by_score(tokens, scored)}


def digest(values, to_bytes):
    out = golden.FNV_START
    for value in values:
        out = golden.fnv1a(out, to_bytes(value))
    return f"{out:016x}"


def blocks(items, to_bytes):
    return [digest(items[i : i + BLOCK], to_bytes) for i in range(0, len(items), BLOCK)]


def ids_bytes(ids):
    return b"".join(i.to_bytes(4, "little") for i in [*ids, 0xFFFFFFFF])


def text_bytes(text):
    return text.encode() + b"\xff"


def measure(tokenizer, lines):
    ids = [tokenizer.encode(line).ids for line in lines]
    tokenizer.encode_special_tokens = True
    plain = [tokenizer.encode(line, add_special_tokens=False).ids for line in lines]
    tokenizer.encode_special_tokens = False
    return {
        "ids": blocks(ids, ids_bytes),
        "plain_ids": blocks(plain, ids_bytes),
        "texts": blocks(tokenizer.decode_batch(ids, skip_special_tokens=False), text_bytes),
        "texts_without_special": blocks(tokenizer.decode_batch(ids, skip_special_tokens=True), text_bytes),
        "first_ids": ids[:20],
    }


def form_of(tokenizer):
    form = json.loads(tokenizer.to_str())
    size = len(form["model"].pop("vocab"))
    form["model"].pop("merges")
    return {"tokenizer": form, "vocabulary_size": size}


def main():
    here = pathlib.Path(__file__).resolve().parent.parent / "tests/data/tokenizer"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=here)
    data = parser.parse_args().data

    def lines_of(value):
        """A line per member."""
        return "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in value.items()) + "\n}"

    def write(name, value):
        (data / f"{name}.json").write_text(lines_of(value) + "\n")

    lines = golden.make_lines(json.loads((data / "corpus.json").read_text()))
    # Without the written-out tokens, which are none to be learned.
    pieces = train_pieces([line for line in lines[:4000] if "<" not in line])
    write("vocabulary-sp", pieces)
    bytes_ = json.loads((data / "vocabulary.json").read_text())
    forms = {}
    for name, (tokenizer, vocabulary) in families(bytes_, pieces).items():
        forms[name] = {"vocabulary": vocabulary, **form_of(tokenizer), **measure(tokenizer, lines[:LINES])}
        if name == "llama2-normalized-tokens":  # there it decodes </s> as " </s>", and does not skip it
            forms[name]["texts"] = forms[name]["texts_without_special"] = []
    made_with = f"tokenizers {golden.tokenizers.__version__}"
    write("forms", {"made_with": made_with, "seed": golden.SEED, "lines": LINES, "block": BLOCK, **forms})


if __name__ == "__main__":
    main()
