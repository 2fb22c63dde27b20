"""A text model of tests/data/families as the text part of one that sees images: names, config.json and the other tensors.

config.json says of the text what people's files say: nothing that is the default of its class. The other part is a real one,
shrunken, with random weights; one tensor more has five dimensions, as the patches of videos have.
"""

import json

import torch
import transformers

VISION = {"model_type": "siglip_vision_model", "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1,
          "num_attention_heads": 2, "image_size": 16, "patch_size": 8}  # fmt: skip
UNSAID = ("rope_theta", "rope_local_base_freq", "sliding_window_pattern")  # in the older form, all at their defaults


def config_of(variant, classic):
    """The configuration of the whole, from the text model's in the form of checkpoints before transformers 5."""
    defaults = transformers.AutoConfig.for_model(classic["model_type"]).to_dict()
    text = {key: value for key, value in classic.items()
            if key == "model_type" or (defaults.get(key, "") != value and key not in UNSAID)}  # fmt: skip
    return {"model_type": variant.image_model, "architectures": ["Gemma3ForConditionalGeneration"], "text_config": text,
            "vision_config": VISION, "mm_tokens_per_image": 4, "image_token_index": 271, "torch_dtype": variant.dtype}  # fmt: skip


def tensors_of(variant, text, config):
    """All tensors, of the text model's and random ones, under the names of checkpoints before transformers 4.52."""
    torch.manual_seed(1)
    whole = transformers.AutoModelForImageTextToText.from_config(transformers.AutoConfig.for_model(**config))
    dtype = getattr(torch, variant.dtype)
    parts = ("model.vision_tower.", "model.multi_modal_projector.")
    others = {name.removeprefix("model."): tensor.to(dtype) for name, tensor in whole.state_dict().items() if name.startswith(parts)}
    others["vision_tower.patches_of_videos.weight"] = torch.randn(2, 3, 2, 2, 2).to(dtype)
    return {f"language_model.{name}": tensor for name, tensor in text.items()} | others


def text_tensors(tensors):
    """The text model's tensors under their own names."""
    if not any(name.startswith("language_model.") for name in tensors):
        return tensors
    return {name.removeprefix("language_model."): tensor for name, tensor in tensors.items() if name.startswith("language_model.")}


@torch.no_grad()
def check(folder, ids, expected):
    """Transformers' own class of the whole, in f32, has the logits of the text model."""
    model = transformers.AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0].double().numpy()
    difference = abs(logits - expected).max()
    if difference > 1e-3:
        raise SystemExit(f"{folder.name}: expected the logits of the text model alone, they differ by {difference}")


def write_config(folder, config):
    text = json.dumps(config, indent=2, sort_keys=True)
    (folder / "config.json").write_text(text + "\n", encoding="utf-8")
