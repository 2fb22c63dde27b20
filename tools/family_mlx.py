"""MLX's affine quantization as mlx-lm stores it: one matrix is three tensors.

`X.weight` [rows, K bits / 32] u32: a little-endian stream of codes per row; `X.scales`, `X.biases` [rows, K / group] in the
model's type; a weight is scale * code + bias. config.json says under "quantization" the group size and the bits of all, and
of single layers that differ by their names (false: not quantized). Source: mlx.core.quantize; mlx_lm.utils.save_config.
"""

import numpy
import torch

QUANTIZED = ("embed_tokens", "lm_head", "_proj")


def settings_of(quantization, layer):
    """(group size, bits) of a layer, or None."""
    own = quantization.get(layer, quantization)
    return (own["group_size"], own["bits"]) if own else None


def quantize(tensors, quantization):
    """The tensors as mlx-lm would store them."""
    import mlx.core as mx  # the only use of it

    result = {}
    for name, tensor in tensors.items():
        layer = name.removesuffix(".weight")
        settings = settings_of(quantization, layer)
        if not layer.endswith(QUANTIZED) or settings is None:
            result[name] = tensor
            continue
        kind = {torch.bfloat16: mx.bfloat16, torch.float16: mx.float16}[tensor.dtype]
        parts = mx.quantize(mx.array(tensor.float().numpy()).astype(kind), *settings)
        result[f"{layer}.weight"] = torch.from_numpy(numpy.array(parts[0]))
        for what, part in zip(("scales", "biases"), parts[1:], strict=True):
            result[f"{layer}.{what}"] = torch.from_numpy(numpy.array(part.astype(mx.float32))).to(tensor.dtype)
        check(mx.dequantize(*parts, *settings).astype(mx.float32), matrix_of(result, layer, settings))
    return result


def check(theirs, ours):
    """mlx rounds to the model's type; ours is exact."""
    difference = numpy.abs(numpy.array(theirs) - ours.numpy()).max()
    if difference > 2**-7 * float(ours.abs().max()):
        raise SystemExit(f"family_mlx: expected the weights of mlx.core.dequantize, they differ by {difference}")


def matrix_of(tensors, layer, settings):
    """A stored matrix as f64."""
    group, bits = settings
    words = tensors[f"{layer}.weight"].numpy()
    stream = numpy.unpackbits(words.view(numpy.uint8), axis=1, bitorder="little")
    codes = (stream.reshape(len(words), -1, bits) << numpy.arange(bits)).sum(-1, dtype=numpy.int64)
    scales, biases = (tensors[f"{layer}.{what}"].double().repeat_interleave(group, dim=1) for what in ("scales", "biases"))
    return scales * torch.from_numpy(codes) + biases


def dequantize(tensors, quantization):
    """The inverse of quantize, in f64 where a matrix was quantized."""
    layers = [name.removesuffix(".scales") for name in tensors if name.endswith(".scales")]
    result = {name: tensor for name, tensor in tensors.items() if not name.endswith((".scales", ".biases"))}
    return result | {f"{layer}.weight": matrix_of(tensors, layer, settings_of(quantization, layer)) for layer in layers}
