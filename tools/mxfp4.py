"""MXFP4 as gpt-oss stores its experts: blocks of 32 numbers along K, a code of 4 bits each, one power of two for all.

`NAME_blocks` [E, rows, K / 32, 16] u8: element 2 i of a block in the low half of byte i, element 2 i + 1 in the high half;
`NAME_scales` [E, rows, K / 32] u8: exponent + 127. The unpacked tensor `NAME` is [E, K, rows].
Source: OCP Microscaling Formats (MX) 1.0, section 5; the tensors of openai/gpt-oss-20b.
"""

import re

import torch

BLOCK = 32
MAGNITUDES = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
EXPERT = re.compile(r"\.experts\.(gate_up|down)_proj$")


def pack(weights):
    """[E, K, rows] -> (blocks, scales): each number becomes the nearest that its block can hold, whose largest fits."""
    groups = weights.float().transpose(1, 2).unflatten(-1, (-1, BLOCK))  # [E, rows, K / 32, 32]
    largest = groups.abs().amax(-1)
    exponents = torch.ceil(torch.log2(largest / 6.0)).clamp(-126, 127)
    scaled = groups / torch.exp2(exponents)[..., None]
    codes = (scaled.abs()[..., None] - MAGNITUDES).abs().argmin(-1) + 8 * (scaled < 0)
    codes = codes.to(torch.uint8)
    return codes[..., 0::2] | codes[..., 1::2] << 4, (exponents + 127).to(torch.uint8)


def unpack(blocks, scales):
    """(blocks, scales) -> [E, K, rows] f32, exactly."""
    codes = torch.stack([blocks & 15, blocks >> 4], -1).flatten(-2).long()  # [E, rows, K / 32, 32]
    values = MAGNITUDES[codes & 7] * torch.where(codes > 7, -1.0, 1.0)
    values = values * torch.exp2(scales.float() - 127.0)[..., None]
    return values.flatten(-2).transpose(1, 2).contiguous()


def round_experts(model):
    """The experts' weights become numbers that MXFP4 holds."""
    for path, parameter in model.named_parameters():
        if EXPERT.search(path):
            parameter.data = unpack(*pack(parameter.data))


def pack_experts(tensors):
    result = {}
    for name, tensor in tensors.items():
        if EXPERT.search(name):
            result[f"{name}_blocks"], result[f"{name}_scales"] = pack(tensor)
            if not torch.equal(unpack(result[f"{name}_blocks"], result[f"{name}_scales"]), tensor.float()):
                raise SystemExit(f"pack_experts: {name}: expected numbers that MXFP4 holds")
        else:
            result[name] = tensor
    return result


def unpack_experts(tensors):
    result = {name: tensor for name, tensor in tensors.items() if not re.search(r"_proj_(blocks|scales)$", name)}
    for name in tensors:
        if name.endswith("_proj_blocks"):
            stem = name.removesuffix("_blocks")
            result[stem] = unpack(tensors[name], tensors[f"{stem}_scales"])
    return result
