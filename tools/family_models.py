"""The shrunken models of tests/data/families: their shapes, their random weights, and what must matter in each of them.

A Variant is a configuration in transformers' own words. `features` says what a reader may not ignore: with the feature switched
off (another configuration, weights set to zero, another method of the module) the reference's logits must change by `least`.
Weights are random, of a size at which they matter: scores of attention spread over several units, biases are a good part of
what they are added to. `classic` tells whether config.json has the form of checkpoints before transformers 5 (`rope_theta`,
`rope_scaling`, `torch_dtype`), which most published ones have; the other form stands beside it.
"""

import dataclasses
import re
from collections.abc import Callable

import numpy
import torch
from transformers.models.bloom import modeling_bloom

VOCABULARY = 272  # the tokenizer's
BOS, START, END = VOCABULARY - 3, VOCABULARY - 2, VOCABULARY - 1


@dataclasses.dataclass(frozen=True)
class Feature:
    name: str
    config: dict = dataclasses.field(default_factory=dict)  # other values of fields; a dict updates a dict
    zero: str = ""  # regular expression of tensors that become zero
    edit: Callable | None = None  # changes the module
    least: float = 1e-2  # at least so much some logit must change


@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    config: dict
    features: tuple[Feature, ...]
    about: str
    dtype: str = "bfloat16"
    classic: bool = True
    gguf: bool = False
    bare_names: str = ""  # this prefix of tensor names is left off, as in older checkpoints
    extra: Callable | None = None  # config -> tensors that stand in the file without use
    shard: str = "50GB"
    short_prompt: int = 0  # a third prompt of that many tokens: what depends on the length of the text
    mlx: dict | None = None  # "quantization" of config.json
    image_model: str = ""  # the text part of a model of this model_type, which sees images
    experts_mxfp4: str = ""  # "values": weights that MXFP4 holds; "blocks": stored so


COMMON = {"vocab_size": VOCABULARY, "bos_token_id": BOS, "eos_token_id": END, "pad_token_id": BOS}
LLAMA = {**COMMON, "hidden_size": 64, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "max_position_embeddings": 128, "rms_norm_eps": 1e-5}  # fmt: skip


def rope(theta, kind="default", **rest):
    return {"rope_type": kind, "rope_theta": theta, **rest}


PLAIN = Feature("rotation scaling", {"rope_parameters": rope(10000.0)})
BIASES_OF_QKV = Feature("biases of q, k, v", zero=r"\.[qkv]_proj\.bias")
ALL_BIASES = Feature("biases", zero=r"\.bias$")


class Slopes:
    """Gives BLOOM's heads other slopes while the model runs: `of` makes [H] of H."""

    def __init__(self, of):
        self.of = of

    def __call__(self, model):
        model.with_module_function = (modeling_bloom, "_get_alibi_slopes", lambda heads, device: self.of(heads))


def blocked_qkv(model):
    """BLOOM's fused rows read as all q, all k, all v."""
    for layer in model.transformer.h:
        attention = layer.self_attention
        fused, heads, size = attention.query_key_value, attention.num_heads, attention.head_dim
        for tensor in (fused.weight, fused.bias):
            tensor.data = tensor.data.unflatten(0, (3, heads, size)).transpose(0, 1).flatten(0, 2).contiguous()


def no_position_offset(model):
    model.model.decoder.embed_positions.offset = 0


def no_norm(*path):
    """A function that takes a norm out of the module (of every layer, where the path says `layers`)."""

    def edit(model):
        modules = [model]
        for name in path:
            if name == path[-1]:
                for module in modules:
                    setattr(module, name, torch.nn.Identity())
            elif name == "layers":
                modules = [layer for module in modules for layer in module.layers]
            else:
                modules = [getattr(module, name) for module in modules]

    return edit


def swap_experts_halves(model):
    """gpt-oss's gate and up read as two halves, not in turns."""
    for layer in model.model.layers:
        for name in ("gate_up_proj", "gate_up_proj_bias"):
            tensor = getattr(layer.mlp.experts, name)
            tensor.data = tensor.data.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2).contiguous()


def no_sinks(model):
    for layer in model.model.layers:
        layer.self_attn.sinks.data.fill_(-1e30)


def rotary_buffers(config):
    """What checkpoints of the time before transformers 4.32 hold besides the weights."""
    size = config["hidden_size"] // config["num_attention_heads"]
    inverse = 1.0 / 10000.0 ** (torch.arange(0, size, 2, dtype=torch.float32) / size)
    return {f"model.layers.{i}.self_attn.rotary_emb.inv_freq": inverse.clone() for i in range(config["num_hidden_layers"])}


def causal_masks(config):
    """The buffer of older GPT-2 files (there f32)."""
    mask = torch.tril(torch.ones(config["n_positions"], config["n_positions"], dtype=torch.uint8))[None, None]
    return {f"h.{i}.attn.bias": mask.clone() for i in range(config["n_layer"])}


GEMMA = {**LLAMA, "rms_norm_eps": 1e-6, "head_dim": 16, "tie_word_embeddings": True, "hidden_activation": "gelu_pytorch_tanh",
         "hidden_size": 56, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 1,
         "sliding_window": 16}  # fmt: skip
SMALL_GEMMA = {**GEMMA, "hidden_size": 40, "intermediate_size": 24, "num_attention_heads": 2, "query_pre_attn_scalar": 16}
GEMMA3_ROPE = {"sliding_attention": rope(10000.0), "full_attention": rope(1000000.0)}
GEMMA3_ROPE_8 = {**GEMMA3_ROPE, "full_attention": rope(1000000.0, "linear", factor=8.0)}
S, F = "sliding_attention", "full_attention"
QK_NORMS = Feature("norms of q and k", edit=lambda model: [
    setattr(layer.self_attn, name, torch.nn.Identity()) for layer in model.model.layers for name in ("q_norm", "k_norm")
])  # fmt: skip
EMBEDDING_SCALE = Feature("embedding times sqrt(D)", edit=lambda model: model.model.embed_tokens.embed_scale.fill_(1.0))
OPT = {**COMMON, "hidden_size": 64, "ffn_dim": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
       "max_position_embeddings": 128, "activation_function": "relu", "dropout": 0.0}  # fmt: skip
GPT2 = {"vocab_size": VOCABULARY, "bos_token_id": BOS, "eos_token_id": BOS, "n_embd": 64, "n_head": 4, "n_layer": 2,
        "n_positions": 128, "n_ctx": 128, "activation_function": "gelu_new"}  # fmt: skip
BLOOM = {**COMMON, "hidden_size": 64, "n_head": 4, "n_layer": 2, "seq_length": 128}
GPT2_FEATURES = (
    Feature("learned positions", zero=r"wpe\.weight"),
    Feature("biases", zero=r"(c_attn|c_proj|c_fc)\.bias"),
    Feature("biases of the norms", zero=r"ln_.*\.bias"),
    Feature("gelu_new, not relu", {"activation_function": "relu"}),
)
BLOOM_FEATURES = (
    Feature("ALiBi", edit=Slopes(torch.zeros)),
    Feature("norm of the embedding", edit=no_norm("transformer", "word_embeddings_layernorm")),
    Feature("q, k, v of a head stand together", edit=blocked_qkv),
    Feature("biases", zero=r"(query_key_value|dense\w*)\.bias"),
)
MOE = {**LLAMA, "hidden_size": 48, "head_dim": 16, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 16,
       "norm_topk_prob": True, "tie_word_embeddings": True, "rms_norm_eps": 1e-6}  # fmt: skip
GPT_OSS = {**LLAMA, "head_dim": 16, "num_local_experts": 4, "num_experts_per_tok": 2, "intermediate_size": 32,
           "sliding_window": 16, "layer_types": [S, F], "tie_word_embeddings": False, "attention_bias": True,
           "swiglu_limit": 7.0,
           "rope_parameters": rope(150000.0, "yarn", factor=4.0, beta_fast=32.0, beta_slow=1.0, truncate=False,
                                   original_max_position_embeddings=32)}  # fmt: skip
GPT_OSS_FEATURES = (
    Feature("sinks", edit=no_sinks),
    Feature("window of layer 0", {"layer_types": [F, F]}),
    Feature("window of 16, not 17", {"sliding_window": 17}),
    Feature("yarn", {"rope_parameters": rope(150000.0)}),
    Feature("truncate: false", {"rope_parameters": {"truncate": True}}),
    Feature("biases of attention", zero=r"self_attn\.\w_proj\.bias"),
    Feature("bias of the router", zero=r"router\.bias"),
    Feature("biases of the experts", zero=r"_proj_bias"),
    Feature("clamp at 7", {"swiglu_limit": 1e9}),
    Feature("alpha of 1.702", {"swiglu_alpha": 1.0}),
    Feature("gate and up in turns", edit=swap_experts_halves),
    Feature("two experts", {"num_experts_per_tok": 1}),
)

MLX = {**LLAMA, "intermediate_size": 128, "tie_word_embeddings": False, "rope_parameters": rope(10000.0)}
MIXED_BITS = {"group_size": 32, "bits": 8,
              "model.layers.0.self_attn.q_proj": {"group_size": 32, "bits": 6},
              "model.layers.0.self_attn.k_proj": {"group_size": 32, "bits": 3},
              "model.layers.0.self_attn.v_proj": {"group_size": 64, "bits": 5},
              "model.layers.0.mlp.gate_proj": {"group_size": 32, "bits": 4},
              "model.layers.0.mlp.up_proj": {"group_size": 64, "bits": 2},
              "model.layers.0.mlp.down_proj": {"group_size": 128, "bits": 6},
              "model.layers.1.mlp.down_proj": False}  # fmt: skip
FLOATS = {"group_size": 32, "bits": 8, "mode": "mxfp8",
          "model.layers.0.self_attn.q_proj": {"group_size": 16, "bits": 4, "mode": "nvfp4"},
          "model.layers.0.self_attn.o_proj": {"group_size": 16, "bits": 4, "mode": "nvfp4"},
          "model.layers.0.mlp.gate_proj": {"group_size": 32, "bits": 4, "mode": "mxfp4"},
          "model.layers.1.mlp.up_proj": {"group_size": 64, "bits": 6, "mode": "affine"},
          "model.layers.1.mlp.down_proj": {"group_size": 16, "bits": 4, "mode": "nvfp4"},
          "model.layers.1.self_attn.v_proj": False}  # fmt: skip

VARIANTS = (
    Variant("llama", {"model_type": "llama", **LLAMA, "tie_word_embeddings": False, "rope_parameters": rope(500000.0)},
            (Feature("theta of 500000", {"rope_parameters": {"rope_theta": 10000.0}}),
             Feature("an eps of its own", {"rms_norm_eps": 1.0})),
            "grouped queries, a head of its own", gguf=True),
    Variant("llama_scaled", {"model_type": "llama", **LLAMA, "tie_word_embeddings": True, "rope_parameters": rope(
                10000.0, "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                original_max_position_embeddings=64)},
            (PLAIN,), "tied; llama3 scaling of the rotation; f16", dtype="float16", gguf=True),
    Variant("llama_biases", {"model_type": "llama", **LLAMA, "hidden_size": 48, "num_attention_heads": 6,
                "tie_word_embeddings": True, "attention_bias": True, "mlp_bias": True,
                "rope_parameters": rope(10000.0, "linear", factor=4.0)},
            (PLAIN, Feature("biases of attention", zero=r"self_attn\.\w_proj\.bias"),
             Feature("biases of the MLP", zero=r"mlp\.\w+\.bias")),
            "6 heads of 8; linear scaling; biases; the buffers of old files", extra=rotary_buffers),
    Variant("llama_yarn", {"model_type": "llama", **LLAMA, "tie_word_embeddings": True, "rope_parameters": rope(
                10000.0, "yarn", factor=4.0, original_max_position_embeddings=32)},
            (PLAIN, Feature("attention factor", {"rope_parameters": {"attention_factor": 1.0}})),
            "yarn with the defaults for what it does not say", classic=False),
    Variant("mistral", {"model_type": "mistral", **LLAMA, "hidden_size": 48, "head_dim": 32, "num_key_value_heads": 1, "sliding_window": 24,
                "tie_word_embeddings": False, "rope_parameters": rope(10000.0)},
            (Feature("window", {"sliding_window": None}), Feature("window of 24, not 25", {"sliding_window": 25})),
            "a window in every layer; heads of 32 where D / H is 12; three files and an index", shard="64KB"),
    Variant("qwen2", {"model_type": "qwen2", **LLAMA, "vocab_size": 288, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
                "use_sliding_window": False, "sliding_window": 16, "max_window_layers": 1, "rope_parameters": rope(1000000.0)},
            (BIASES_OF_QKV, Feature("use_sliding_window: false", {
                "use_sliding_window": True, "sliding_window": 16, "layer_types": [F, S]})),
            "biases of q, k, v; a window that is not used; more rows of the embedding than tokens"),
    Variant("qwen2_window", {"model_type": "qwen2", **LLAMA, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
                "use_sliding_window": True, "sliding_window": 16, "max_window_layers": 1, "rope_parameters": rope(1000000.0)},
            (BIASES_OF_QKV, Feature("window", {"layer_types": [F, F]}),
             Feature("only from layer 1 on", {"layer_types": [S, S]})),
            "a window from layer max_window_layers on"),
    Variant("qwen3", {"model_type": "qwen3", **LLAMA, "hidden_size": 48, "rms_norm_eps": 1e-6, "head_dim": 32, "tie_word_embeddings": True,
                "rope_parameters": rope(1000000.0)},
            (QK_NORMS,), "norms of q and k; heads of 32 where D / H is 12"),
    Variant("gemma2", {"model_type": "gemma2", **GEMMA, "query_pre_attn_scalar": 10,
                "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "num_hidden_layers": 3,
                "rope_parameters": rope(10000.0)},
            (Feature("windows", {"layer_types": [F, F, F]}), Feature("window of 16, not 17", {"sliding_window": 17}),
             Feature("windows in turns", {"layer_types": [F, S, F]}),
             Feature("cap of the scores", {"attn_logit_softcapping": None}),
             Feature("cap of the logits", {"final_logit_softcapping": None}),
             Feature("query_pre_attn_scalar", {"query_pre_attn_scalar": 16}),
             Feature("gelu_tanh, not relu", {"hidden_activation": "relu"}),
             Feature("post norms", edit=no_norm("model", "layers", "post_feedforward_layernorm"))),
            "windows in turns, soft caps, norms before and after"),
    Variant("gemma3", {"model_type": "gemma3_text", **GEMMA, "query_pre_attn_scalar": 12, "num_hidden_layers": 3,
                "layer_types": [S, S, F], "rope_parameters": GEMMA3_ROPE},
            (Feature("windows", {"layer_types": [F, F, F]}), Feature("window of 16, not 17", {"sliding_window": 17}), QK_NORMS, EMBEDDING_SCALE,
             Feature("query_pre_attn_scalar", {"query_pre_attn_scalar": 16}),
             Feature("local theta", {"rope_parameters": {S: rope(1000000.0)}}),
             Feature("global theta", {"rope_parameters": {F: rope(10000.0)}}),
             Feature("post norms", edit=no_norm("model", "layers", "post_attention_layernorm"))),
            "local and global layers by sliding_window_pattern, each with its theta"),
    Variant("gemma3_linear", {"model_type": "gemma3_text", **GEMMA, "query_pre_attn_scalar": 16, "num_hidden_layers": 3,
                "layer_types": [F, S, F], "rope_parameters": GEMMA3_ROPE_8},
            (Feature("windows", {"layer_types": [F, F, F]}),
             Feature("linear scaling of the global layers", {"rope_parameters": {F: rope(1000000.0)}}),
             Feature("scaling of the global layers alone", {
                "rope_parameters": {S: rope(10000.0, "linear", factor=8.0)}})),
            "layer_types in an order of its own; global layers with linear scaling", classic=False),
    Variant("gemma2_plain", {"model_type": "gemma2", **SMALL_GEMMA, "num_hidden_layers": 3, "attn_logit_softcapping": 50.0,
                "final_logit_softcapping": 30.0, "rope_parameters": rope(10000.0)},
            (Feature("windows", {"layer_types": [F, F, F]}), Feature("windows in turns", {"layer_types": [F, S, F]}),
             Feature("cap of the scores", {"attn_logit_softcapping": None}),
             Feature("cap of the logits", {"final_logit_softcapping": None})),
            "what a GGUF file does not say is as always: windows in layers 0, 2, ..., scale of the head size", gguf=True),
    Variant("gemma3_plain", {"model_type": "gemma3_text", **SMALL_GEMMA, "num_hidden_layers": 7,
                "layer_types": [S, S, S, S, S, F, S], "rope_parameters": GEMMA3_ROPE_8},
            (Feature("windows", {"layer_types": [F] * 7}), Feature("a global layer", {"layer_types": [S] * 7}),
             Feature("linear scaling of the global layers", {"rope_parameters": {F: rope(1000000.0)}}),
             Feature("scaling of the global layers alone", {
                "rope_parameters": {S: rope(10000.0, "linear", factor=8.0)}}),
             Feature("global theta", {"rope_parameters": {F: rope(10000.0, "linear", factor=8.0)}})),
            "what a GGUF file does not say is as always: layers 5, 11, ... global, scale of the head size", gguf=True),
    Variant("gemma3_images", {"model_type": "gemma3_text", **COMMON, "hidden_size": 32, "intermediate_size": 48, "head_dim": 8,
                "num_hidden_layers": 7, "sliding_window": 16, "rope_parameters": GEMMA3_ROPE_8},
            (Feature("windows", {"layer_types": [F] * 7}), Feature("a global layer", {"layer_types": [S] * 7}),
             Feature("query_pre_attn_scalar of 256", {"query_pre_attn_scalar": 8}),
             Feature("local theta", {"rope_parameters": {S: rope(1000000.0)}}),
             Feature("global theta", {"rope_parameters": {F: rope(10000.0, "linear", factor=8.0)}}),
             Feature("linear scaling of the global layers", {"rope_parameters": {F: rope(1000000.0)}})),
            "the text of a model that sees images: what is a default is not said, tensors of other parts", image_model="gemma3"),
    Variant("opt", {"model_type": "opt", **OPT},
            (Feature("offset of positions", edit=no_position_offset), ALL_BIASES,
             Feature("final norm", edit=no_norm("model", "decoder", "final_layer_norm"))),
            "like OPT 125M: learned positions with their offset, ReLU", dtype="float16"),
    Variant("opt_post_norm", {"model_type": "opt", **OPT, "do_layer_norm_before": False, "word_embed_proj_dim": 32},
            (Feature("offset of positions", edit=no_position_offset), ALL_BIASES,
             Feature("norms", edit=no_norm("model", "decoder", "layers", "self_attn_layer_norm"))),
            "like OPT 350M: norms behind the sums, projections into and out of the model", dtype="float16"),
    Variant("gpt2", {"model_type": "gpt2", **GPT2, "n_embd": 24, "n_head": 3}, GPT2_FEATURES, "f32, as published", dtype="float32", gguf=True),
    Variant("gpt2_bare", {"model_type": "gpt2", **GPT2, "n_embd": 48, "n_inner": 64, "n_head": 2, "n_positions": 96, "n_ctx": 96}, GPT2_FEATURES,
            "names without transformer., masks in the file, an inner size of its own", dtype="float16",
            bare_names="transformer.", extra=causal_masks),
    Variant("bloom", {"model_type": "bloom", **BLOOM, "hidden_size": 32}, BLOOM_FEATURES, "4 heads; f16", dtype="float16", gguf=True),
    Variant("bloom_6_heads", {"model_type": "bloom", **BLOOM, "hidden_size": 48, "n_head": 6},
            (*BLOOM_FEATURES, Feature("slopes of 6 heads", edit=Slopes(
                lambda heads: 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)))),
            "a number of heads that is no power of two; names without transformer.", bare_names="transformer."),
    Variant("phi3", {"model_type": "phi3", **LLAMA, "sliding_window": 40, "tie_word_embeddings": True,
                "original_max_position_embeddings": 128, "rope_parameters": rope(10000.0, partial_rotary_factor=1.0)},
            (Feature("window", {"sliding_window": None}), Feature("window of 40, not 41", {"sliding_window": 41})), "fused q, k, v and gate, up; a window", gguf=True),
    Variant("phi3_longrope", {"model_type": "phi3", **LLAMA, "tie_word_embeddings": True,
                "original_max_position_embeddings": 32, "rope_parameters": rope(
                    10000.0, "longrope", partial_rotary_factor=0.75, original_max_position_embeddings=32,
                    short_factor=[1.0, 1.05, 1.2, 1.5, 2.0, 2.5], long_factor=[1.1, 1.5, 2.5, 4.0, 8.0, 16.0])},
            (Feature("long factors", {"rope_parameters": {"long_factor": [1.0, 1.05, 1.2, 1.5, 2.0, 2.5]}}),
             Feature("attention factor", {"rope_parameters": {"attention_factor": 1.0}})),
            "12 of 16 elements rotate; longrope: texts above 32 tokens have factors of their own", short_prompt=30),
    Variant("qwen3_moe", {"model_type": "qwen3_moe", **MOE, "rope_parameters": rope(1000000.0)},
            (QK_NORMS, Feature("norm_topk_prob", {"norm_topk_prob": False}), Feature("two experts", {"num_experts_per_tok": 3})),
            "8 experts, 2 of them", gguf=True),
    Variant("qwen3_moe_mixed", {"model_type": "qwen3_moe", **MOE, "num_experts_per_tok": 4, "norm_topk_prob": False,
                "num_hidden_layers": 4, "decoder_sparse_step": 2, "mlp_only_layers": [3],
                "intermediate_size": 32, "rope_parameters": rope(1000000.0)},
            (Feature("norm_topk_prob: false", {"norm_topk_prob": True}),),
            "4 of 8 experts, weights as they come; layer 1 alone has experts (decoder_sparse_step, mlp_only_layers)"),
    Variant("gpt_oss", {"model_type": "gpt_oss", **GPT_OSS}, GPT_OSS_FEATURES,
            "sinks, windows in turns, yarn, biases, clamped SwiGLU; the weights of gpt_oss_mxfp4", experts_mxfp4="values"),
    Variant("gpt_oss_mxfp4", {"model_type": "gpt_oss", **GPT_OSS}, (), "the weights of gpt_oss, experts as MXFP4 blocks",
            experts_mxfp4="blocks", gguf=True),
    Variant("llama_mlx4", {"model_type": "llama", **MLX}, (), "MLX, 4 bits in groups of 64, bf16 scales",
            mlx={"group_size": 64, "bits": 4}),
    Variant("llama_mlx_mixed", {"model_type": "llama", **MLX}, (), "MLX, 2 to 8 bits in groups of 32 and 64, f16 scales",
            dtype="float16", mlx=MIXED_BITS),
    Variant("llama_mlx_nvfp4", {"model_type": "llama", **MLX, "intermediate_size": 144}, (),
            "MLX, nvfp4; an MLP whose size is no multiple of 32", mlx={"group_size": 16, "bits": 4, "mode": "nvfp4"}),
    Variant("llama_mlx_floats", {"model_type": "llama", **MLX}, (), "MLX, mxfp8, some layers nvfp4, mxfp4, affine or as they are",
            mlx=FLOATS),
)  # fmt: skip


TURNED = {"gpt2": r"c_attn|c_proj|c_fc", "gpt_oss": r"experts\.\w+_proj$"}  # matrices that are held as [in, out]
SHARP = r"[qk]_proj|c_attn|query_key_value|qkv_proj|gate\.weight|router"


def generator_of(name):
    """Random numbers that depend on the name alone."""
    return numpy.random.Generator(numpy.random.PCG64([ord(letter) for letter in name]))


def randomize(model, variant):
    """Gives every parameter of the module values whose size makes it matter."""
    family = variant.config["model_type"]
    random = generator_of(variant.name.removesuffix("_mxfp4"))
    for path, parameter in model.named_parameters():
        values = random.standard_normal(tuple(parameter.shape))
        if parameter.dim() == 1 and re.search(r"norm\w*\.weight$|ln_\w+\.weight$", path):
            middle = 1.5 if re.search(r"[qk]_norm", path) else 1.0
            values = numpy.clip(values * 0.25, -0.5, 0.5) + middle - (1.0 if family.startswith("gemma") else 0.0)
        elif "sinks" in path:
            values += 1.0
        elif "bias" in path:
            values *= 0.3
        elif re.search(r"(embed_(tokens|positions)|word_embeddings|wte|wpe|lm_head)\.weight$", path):
            values *= 0.5
        else:
            inputs = parameter.shape[-2 if re.search(TURNED.get(family, "^$"), path) else -1]
            values *= gain_of(path, family) / numpy.sqrt(inputs)
        parameter.data = torch.from_numpy(values).to(torch.float32)


def gain_of(path, family):
    if "experts" in path and family == "gpt_oss":
        return 4.0  # some values pass the clamp
    if re.search(SHARP, path):
        return 4.0 if family == "gemma2" else 1.6  # scores near the cap
    return 1.2
