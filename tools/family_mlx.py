"""MLX's quantization as mlx-lm stores it: one matrix is two or three tensors.

`X.weight` [rows, K bits / 32] u32: a little-endian stream of codes per row; `X.scales`, `X.biases` [rows, K / group] in the
model's type; a weight is scale * code + bias. In the modes mxfp4, mxfp8 and nvfp4 codes are numbers of E2M1 or E4M3, scales
bytes of E8M0 or E4M3, and there are no biases. config.json says under "quantization" the group size, the bits and the mode
(affine if it does not) of all, and of single layers that differ by their names (false: not quantized).
Source: mlx.core.quantize; mlx_lm.utils.save_config.
"""

import numpy
import torch

QUANTIZED = ("embed_tokens", "lm_head", "_proj")


def settings_of(quantization, layer):
    """(group size, bits, mode) of a layer, or None."""
    own = quantization.get(layer, quantization)
    return (own["group_size"], own["bits"], own.get("mode", "affine")) if own else None


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
        group, bits, mode = settings
        parts = mx.quantize(mx.array(tensor.float().numpy()).astype(kind), group_size=group, bits=bits, mode=mode)
        result[f"{layer}.weight"] = torch.from_numpy(numpy.array(parts[0]))
        floats = mode != "affine"
        if floats:
            result[f"{layer}.scales"] = torch.from_numpy(numpy.array(parts[1]))
            theirs = mx.dequantize(*parts, mode=mode, dtype=mx.float32)
        else:
            for what, part in zip(("scales", "biases"), parts[1:], strict=True):
                result[f"{layer}.{what}"] = torch.from_numpy(numpy.array(part.astype(mx.float32))).to(tensor.dtype)
            theirs = mx.dequantize(*parts, group_size=group, bits=bits).astype(mx.float32)
        check(theirs, matrix_of(result, layer, settings), 0 if floats else 2**-7)
    return result


def check(theirs, ours, error):
    """With offsets mlx rounds to the model's type; ours is exact."""
    difference = numpy.abs(numpy.array(theirs) - ours.numpy()).max()
    if difference > error * float(ours.abs().max()):
        raise SystemExit(f"family_mlx: expected the weights of mlx.core.dequantize, they differ by {difference}")


E2M1 = torch.tensor([sign * x for sign in (1, -1) for x in (0, 0.5, 1, 1.5, 2, 3, 4, 6)], dtype=torch.float64)


def e4m3(bytes_):
    return bytes_.view(torch.float8_e4m3fn).double()


def numbers_of_scales(bytes_, mode):
    return e4m3(bytes_) if mode == "nvfp4" else 2.0 ** (bytes_.double() - 127)


def matrix_of(tensors, layer, settings):
    """A stored matrix as f64."""
    group, bits, mode = settings
    words = tensors[f"{layer}.weight"].numpy()
    stream = numpy.unpackbits(words.view(numpy.uint8), axis=1, bitorder="little")
    codes = (stream.reshape(len(words), -1, bits) << numpy.arange(bits)).sum(-1, dtype=numpy.int64)
    if mode != "affine":
        scales = numbers_of_scales(tensors[f"{layer}.scales"], mode).repeat_interleave(group, dim=1)
        numbers = e4m3(torch.from_numpy(codes.astype(numpy.uint8))) if bits == 8 else E2M1[torch.from_numpy(codes)]
        return scales * numbers
    scales, biases = (tensors[f"{layer}.{what}"].double().repeat_interleave(group, dim=1) for what in ("scales", "biases"))
    return scales * torch.from_numpy(codes) + biases


def dequantize(tensors, quantization):
    """The inverse of quantize, in f64 where a matrix was quantized."""
    layers = [name.removesuffix(".scales") for name in tensors if name.endswith(".scales")]
    result = {name: tensor for name, tensor in tensors.items() if not name.endswith((".scales", ".biases"))}
    return result | {f"{layer}.weight": matrix_of(tensors, layer, settings_of(quantization, layer)) for layer in layers}
