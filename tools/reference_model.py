"""A GGUF model as transformers runs it, in f64: what the golden data is made with.

The weights are dequantized to f32 by the `gguf` package, then widened; every operation after that is f64, except
the rotation tables, which transformers computes in f32 in every run (inverse frequency, angle, sine, cosine) and
which docs/numerics.md defines in the same way. transformers also rounds to f32 inside its norms and its softmax,
whatever the type of the model: these two are replaced here.

Needs torch, transformers and gguf: docs/measuring.md tells how to install them.
"""

import pathlib

import gguf
import tokenizers
import torch
import transformers
from transformers.models.llama import modeling_llama
from transformers.models.qwen2 import modeling_qwen2

# How the text is cut before byte-pair merging, by `tokenizer.ggml.pre`.
# Source: the tokenizer.json of SmolLM2 and of Qwen2.5.
QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CONTROL, USER_DEFINED = 3, 4  # tokenizer.ggml.token_type


def rms_norm_f64(self, x):
    """x / sqrt(mean(x^2) + eps) * weight, in the type of x."""
    return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon))


def attention_f64(module, query, key, value, attention_mask, scaling, dropout=0.0, **_):
    """Plain softmax attention in the type of the queries; query [B, H, T, Dh], key and value [B, Hkv, S, Dh]."""
    repeats = module.num_key_value_groups
    key = key.repeat_interleave(repeats, dim=1)
    value = value.repeat_interleave(repeats, dim=1)
    scores = query @ key.transpose(2, 3) * scaling
    if attention_mask is not None:
        scores = scores + attention_mask
    weights = torch.softmax(scores, dim=-1)
    return (weights @ value).transpose(1, 2).contiguous(), weights


def load_model(path):
    """The model of a GGUF file, in f64, in evaluation mode."""
    path = pathlib.Path(path)
    modeling_llama.LlamaRMSNorm.forward = rms_norm_f64
    modeling_qwen2.Qwen2RMSNorm.forward = rms_norm_f64
    modeling_llama.eager_attention_forward = attention_f64
    modeling_qwen2.eager_attention_forward = attention_f64
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager"
    )
    model = model.double().eval()
    wrong = [name for name, tensor in model.state_dict().items() if tensor.dtype != torch.float64]
    if wrong:
        raise SystemExit(f"load_model: expected f64 everywhere, these are not: {wrong}")
    return model


def load_tokenizer(path):
    """The byte-level BPE tokenizer of a GGUF file, built from its metadata; special tokens in a text are parsed."""
    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    kinds = fields["tokenizer.ggml.token_type"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    result = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, merges))
    pre = fields["tokenizer.ggml.pre"].contents()
    if pre == "smollm":
        first = tokenizers.pre_tokenizers.Digits(individual_digits=True)
        byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    elif pre == "qwen2":
        result.normalizer = tokenizers.normalizers.NFC()
        first = tokenizers.pre_tokenizers.Split(tokenizers.Regex(QWEN2_SPLIT), behavior="isolated")
        byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    else:
        raise SystemExit(f"load_tokenizer: tokenizer.ggml.pre: expected smollm or qwen2, got {pre}")
    result.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([first, byte_level])
    result.decoder = tokenizers.decoders.ByteLevel()
    result.add_special_tokens(
        [
            tokenizers.AddedToken(token, special=True, normalized=False)
            for token, kind in zip(tokens, kinds)
            if kind in (CONTROL, USER_DEFINED)
        ]
    )
    return result


def begins_with_bos(path):
    """Whether the file asks for a beginning-of-sequence token in front of every text, and its id."""
    fields = gguf.GGUFReader(path).fields
    wanted = "tokenizer.ggml.add_bos_token" in fields and fields["tokenizer.ggml.add_bos_token"].contents()
    return (bool(wanted), fields["tokenizer.ggml.bos_token_id"].contents() if wanted else None)
