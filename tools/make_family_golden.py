#!/usr/bin/env python3
"""Makes tests/data/families: a shrunken random checkpoint of every family, and the f64 logits of transformers on it.

    make_family_golden.py                         all variants of tools/family_models.py
    make_family_golden.py gemma2 gemma3           these
    make_family_golden.py --converter DIR         besides, the GGUF form of the variants that have one (DIR: sources of
                                                  llama.cpp, whose convert_hf_to_gguf.py writes it)

tests/data/families/NAME/ is a Hugging Face folder: config.json, generation_config.json, tokenizer.json,
tokenizer_config.json, model.safetensors (or shards and their index), and
    config.other_form.json   the same configuration in the other of the two forms that transformers reads, where they differ
    model.gguf               the same model as llama.cpp's converter writes it
    golden.json              {"family", "about", "made_with", "features": [{"name", "largest_change"}], "prompts": [{
                               "ids"        [T]
                               "positions"  [P]     ascending, the last is T - 1
                               "logits"     [P][V]  f64, rounded to 6 decimals
                             }]}
largest_change: how far the logits move when the feature is ignored; a reader that ignores it fails by that much.

How the reference runs, see tools/reference_model.py. Needs what tools/reference_env.sh installs.
"""

import argparse
import copy
import json
import pathlib
import re
import shutil
import sys
import unittest.mock

import numpy
import safetensors.torch
import tokenizers
import torch
import transformers

import family_images
import family_mlx
import family_models
import mxfp4
import peer_gguf
import reference_model

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"
LONG_PROMPT = 90
F32_ERROR = 1e-4  # of transformers' own f32 run: the tests ask for 1e-3
POSITIONS = (17, 41, 64, LONG_PROMPT - 1)


# ---- Configurations


def merged(config, changes):
    """A copy of a configuration with other values; a dict updates a dict unless it names another kind of rotation."""
    result = copy.deepcopy(config)
    for key, value in changes.items():
        updates = isinstance(value, dict) and isinstance(result.get(key), dict) and "rope_type" not in value
        result[key] = merged(result[key], value) if updates else copy.deepcopy(value)
    return result


def config_object(config):
    return transformers.AutoConfig.for_model(**copy.deepcopy(config))


def classic_form(config):
    """config.json as checkpoints before transformers 5 hold it."""
    config = copy.deepcopy(config)
    config["torch_dtype"] = config.pop("dtype")
    config["transformers_version"] = "4.40.0"
    rotation = config.pop("rope_parameters", None)
    if rotation is None:
        return config
    layers = config.pop("layer_types", None)
    if config["model_type"] == "gemma3_text":
        config["rope_local_base_freq"] = rotation["sliding_attention"]["rope_theta"]
        if layers[0] == "sliding_attention":
            config["sliding_window_pattern"] = layers.index("full_attention") + 1
        else:
            config["layer_types"] = layers  # no pattern makes them
        rotation = rotation["full_attention"]
    elif config["model_type"] == "gpt_oss":
        config["layer_types"] = layers
    config["rope_theta"] = rotation.pop("rope_theta")
    partial = rotation.pop("partial_rotary_factor", 1.0)
    if partial != 1.0:
        config["partial_rotary_factor"] = partial
    if config["model_type"] == "phi3":
        rotation.pop("original_max_position_embeddings", None)  # phi-3 has it beside rope_scaling
    config["rope_scaling"] = rotation if rotation.get("rope_type") != "default" else None
    if config["rope_scaling"] and config["model_type"] in ("llama", "phi3") and rotation["rope_type"] in ("linear", "longrope"):
        rotation["type"] = rotation.pop("rope_type")  # their older spelling
    return config


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def write_configs(folder, variant):
    """config.json in the form that the variant wants, and the other form beside it if they differ."""
    written = json.loads((folder / "config.json").read_text())
    written.pop("_sliding_window_pattern", None)
    if variant.experts_mxfp4 == "blocks":
        written["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": [
            "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}  # fmt: skip
    if variant.mlx:
        written["quantization"] = written["quantization_config"] = variant.mlx
    if variant.image_model:
        family_images.write_config(folder, family_images.config_of(variant, classic_form(written)))
        return
    forms = [written, classic_form(written)]
    if variant.classic:
        forms.reverse()
    write_json(folder / "config.json", forms[0])
    if "rope_parameters" in written:
        write_json(folder / "config.other_form.json", forms[1])


# ---- Checkpoints


def make_tokenizer():
    """Byte-level BPE: the 256 bytes, a few merges learned from the text, three control tokens at the end."""
    control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    result = tokenizers.Tokenizer(tokenizers.models.BPE())
    result.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    result.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=family_models.VOCABULARY - len(control),
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    result.train([str(DATA / "opticks_query_31.txt")], trainer)
    result.add_special_tokens([tokenizers.AddedToken(token, special=True, normalized=False) for token in control])
    assert result.get_vocab_size() == family_models.VOCABULARY
    return result


def write_tokenizer(folder):
    make_tokenizer().save(str(folder / "tokenizer.json"), pretty=False)
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|endoftext|>", "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>", "add_bos_token": False, "clean_up_tokenization_spaces": False})  # fmt: skip


def tensors_of(folder):
    return {name: tensor for file in sorted(folder.glob("*.safetensors"))
            for name, tensor in safetensors.torch.load_file(file).items()}  # fmt: skip


def adjust_tensors(folder, variant):
    """Renames, adds and packs what the variant stores in another way than transformers saves it."""
    special = variant.bare_names or variant.extra or variant.mlx or variant.image_model
    if not special and variant.experts_mxfp4 != "blocks":
        return
    path = folder / "model.safetensors"
    tensors = {name.removeprefix(variant.bare_names): tensor for name, tensor in tensors_of(folder).items()}
    if variant.experts_mxfp4 == "blocks":
        tensors = mxfp4.pack_experts(tensors)
    if variant.mlx:
        tensors = family_mlx.quantize(tensors, variant.mlx)
    if variant.extra:
        tensors |= variant.extra(variant.config)
    if variant.image_model:
        config = family_images.config_of(variant, classic_form(json.loads((folder / "config.json").read_text())))
        tensors = family_images.tensors_of(variant, tensors, config)
    safetensors.torch.save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path,
                                {"format": "mlx" if variant.mlx else "pt"})  # fmt: skip


def write_checkpoint(folder, variant):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = transformers.AutoModelForCausalLM.from_config(config_object(variant.config))
    family_models.randomize(model, variant)
    if variant.experts_mxfp4:
        mxfp4.round_experts(model)
    model = model.to(getattr(torch, variant.dtype))
    model.save_pretrained(folder, max_shard_size=variant.shard)
    write_tokenizer(folder)
    adjust_tensors(folder, variant)
    write_configs(folder, variant)
    for file in folder.iterdir():
        file.chmod(0o644)


# ---- The reference


def reference(folder, config, feature=None):
    """The model of a folder in f64, as `config` describes it, without the feature."""
    config = config_object(config)
    stored = json.loads((folder / "config.json").read_text()).get("quantization", {})
    tensors = family_mlx.dequantize(mxfp4.unpack_experts(family_images.text_tensors(tensors_of(folder))), stored)
    tensors = {name: tensor.float() for name, tensor in tensors.items()}
    model, info = transformers.AutoModelForCausalLM._model_mapping[type(config)].from_pretrained(
        None, config=config, state_dict=tensors, dtype=torch.float32, attn_implementation="eager",
        experts_implementation="eager", output_loading_info=True
    )  # fmt: skip
    if info["missing_keys"] and not feature:
        raise SystemExit(f"{folder.name}: expected a file with every weight, these are missing: {info['missing_keys']}")
    model = reference_model.widened(model)
    if feature and feature.zero:
        hit = [parameter.zero_() for path, parameter in model.state_dict().items() if re.search(feature.zero, path)]
        if not hit:
            raise SystemExit(f"{folder.name}: {feature.name}: expected tensors that match {feature.zero}, found none")
    if feature and feature.edit:
        feature.edit(model)
    return model


def prompts_of(variant):
    vocabulary = variant.config["vocab_size"]
    lengths = [1, *([variant.short_prompt] if variant.short_prompt else []), LONG_PROMPT]
    return [[(i * i * 7 + i * 31 + 5 + length) % vocabulary for i in range(length)] for length in lengths]


@torch.no_grad()
def logits_of(model, ids):
    module, name, function = getattr(model, "with_module_function", (copy, "copy", copy.copy))
    with reference_model.KeepF64(model), unittest.mock.patch.object(module, name, function):
        logits = model(torch.tensor([ids]), use_cache=False).logits[0]
    assert logits.dtype == torch.float64
    return logits.numpy()


def check_features(folder, variant, ids, expected):
    """How far the last prompt's logits move without each feature; ends the program if one does not matter."""
    found, weak = [], []
    for feature in variant.features:
        changed = logits_of(reference(folder, merged(variant.config, feature.config), feature), ids)
        change = float(numpy.abs(changed - expected)[list(POSITIONS)].max())
        found.append({"name": feature.name, "largest_change": round(change, 4)})
        if change < feature.least:
            weak.append(feature.name)
        print(f"    without {feature.name}: {change:.4f}", flush=True)
    if weak:
        raise SystemExit(f"{variant.name}: expected features whose absence changes a logit, these do not: {weak}")
    return found


def check_forms(folder, variant, ids, expected):
    """Both forms of config.json mean the same to transformers."""
    if variant.image_model:
        return family_images.check(folder, ids, expected)
    for name in ("config.json", "config.other_form.json"):
        if not (folder / name).exists():
            continue
        config = transformers.AutoConfig.from_pretrained(folder / name).to_dict()
        config.pop("quantization_config", None)
        config.pop("quantization", None)
        difference = numpy.abs(logits_of(reference(folder, config), ids) - expected).max()
        if difference > 1e-9:
            raise SystemExit(f"{variant.name}: expected the logits of the variant from {name}, they differ by {difference}")


def write_golden(folder, variant):
    prompts, logits = prompts_of(variant), []
    for ids in prompts:
        logits.append(logits_of(reference(folder, variant.config), ids))
    f32 = reference(folder, variant.config).float()(torch.tensor([prompts[-1]]), use_cache=False).logits[0].detach().numpy()
    error = numpy.abs(f32 - logits[-1]).max()
    print(f"{variant.name}: logits {logits[-1].min():.2f} .. {logits[-1].max():.2f}, error of f32 {error:.1e}", flush=True)
    if error > F32_ERROR:
        raise SystemExit(f"{variant.name}: expected a model that f32 can run to {F32_ERROR}, its error is {error}")
    features = check_features(folder, variant, prompts[-1], logits[-1])
    check_forms(folder, variant, prompts[-1], logits[-1])
    save_golden(folder, variant.config["model_type"], variant.about, features, zip(prompts, logits))


def save_golden(folder, family, about, features, runs):
    records = []
    for ids, logits in runs:
        positions = [position for position in POSITIONS if position < len(ids) - 1] + [len(ids) - 1]
        rows = [[round(float(value), 6) for value in logits[position]] for position in positions]
        records.append({"ids": ids, "positions": positions, "logits": rows})
    made_with = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}, f64"
    golden = {"family": family, "about": about, "made_with": made_with, "features": features, "prompts": records}
    text = json.dumps(golden, separators=(",", ":"))
    text = re.sub(r',("[a-z_]+":)', r",\n\1", text).replace("],[", "],\n[").replace("},{", "},\n{")
    (folder / "golden.json").write_text(text + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="variants (default: all)")
    parser.add_argument("--output", type=pathlib.Path, default=DATA / "families")
    parser.add_argument("--converter", type=pathlib.Path, help="sources of llama.cpp: write GGUF forms with its converter")
    args = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    variants = {variant.name: variant for variant in family_models.VARIANTS}
    unknown = [name for name in args.names if name not in variants]
    if unknown:
        parser.error(f"unknown variants {unknown}; there are {', '.join(variants)}")
    for name in args.names or variants:
        folder, variant = args.output / name, variants[name]
        write_checkpoint(folder, variant)
        write_golden(folder, variant)
        if args.converter and variant.gguf:
            peer_gguf.convert(args.converter, folder, variant.dtype)


if __name__ == "__main__":
    sys.exit(main())
