"""Models as transformers runs them, in f64: what the golden data is made with.

Weights are those of the file (a GGUF file's are dequantized to f32 by the `gguf` package), widened; every operation after that
is f64, except the rotation tables, which transformers computes in f32 in every run (inverse frequency, angle, sine, cosine)
and which docs/numerics.md defines in the same way. transformers also rounds to f32 inside its norms, its softmax and its
routers, whatever the type of the model: KeepF64 stops that.

Needs torch, transformers and gguf: docs/measuring.md tells how to install them.
"""

import pathlib

import gguf
import tokenizers
import torch
import transformers
from torch.overrides import TorchFunctionMode

# How the text is cut before byte-pair merging, by `tokenizer.ggml.pre`.
# Source: the tokenizer.json of SmolLM2 and of Qwen2.5.
QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CONTROL, USER_DEFINED = 3, 4  # tokenizer.ggml.token_type


class KeepF64(TorchFunctionMode):
    """While it is entered, an f64 tensor stays f64 where a model asks for f32; rotation tables keep their f32."""

    def __init__(self, model):
        super().__init__()
        self.in_rotation = 0
        for module in model.modules():
            if type(module).__name__.endswith("RotaryEmbedding"):
                module.register_forward_pre_hook(lambda *_: self.enter_rotation(1))
                module.register_forward_hook(lambda *_: self.enter_rotation(-1))

    def enter_rotation(self, step):
        self.in_rotation += step

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        wide = bool(args) and isinstance(args[0], torch.Tensor) and args[0].dtype == torch.float64
        if wide and not self.in_rotation:
            if func is torch.Tensor.float:
                return args[0]
            asked = (*args[1:], kwargs.get("dtype"))
            if func in (torch.Tensor.to, torch.Tensor.type) and any(one is torch.float32 for one in asked):
                return args[0]
            if kwargs.get("dtype") == torch.float32 and func is torch.nn.functional.softmax:
                kwargs = {**kwargs, "dtype": torch.float64}
        return func(*args, **kwargs)


def widened(model):
    """The model in f64 and evaluation mode."""
    model = model.double().eval()
    wrong = [name for name, tensor in model.state_dict().items() if tensor.dtype != torch.float64]
    if wrong:
        raise SystemExit(f"widened: expected f64 everywhere, these are not: {wrong}")
    return model


def load_model(path):
    """The model of a GGUF file, in f64, in evaluation mode, run under KeepF64."""
    path = pathlib.Path(path)
    model = widened(
        transformers.AutoModelForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager"
        )
    )
    check_norms(model, path)
    forward = model.forward

    def wide_forward(*args, **kwargs):
        with keep:
            return forward(*args, **kwargs)

    keep = KeepF64(model)
    model.forward = wide_forward
    return model


def check_norms(model, path):
    """Gemma's files hold 1 + weight, its modules add the 1 themselves: the one must have been taken off again."""
    values = {tensor.name: tensor.data for tensor in gguf.GGUFReader(path).tensors if tensor.name == "output_norm.weight"}
    file_norm = torch.from_numpy(values["output_norm.weight"].copy()).double()
    added = 1.0 if type(model.model.norm).__name__.startswith("Gemma") else 0.0
    difference = float((model.model.norm.weight.detach() + added - file_norm).abs().max())
    if difference > 1e-6:
        raise SystemExit(f"check_norms: {path}: expected the final norm's factor of the file, it differs by {difference}")


def load_tokenizer(path):
    """The tokenizer of a GGUF file, built from its metadata; special tokens in a text are parsed."""
    fields = gguf.GGUFReader(path).fields
    if fields["tokenizer.ggml.model"].contents() == "llama":
        return transformers.AutoTokenizer.from_pretrained(
            pathlib.Path(path).parent, gguf_file=pathlib.Path(path).name
        ).backend_tokenizer
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
