// Loading: from what the layers declared and what the files hold to packed weights on a device.
#pragma once

#include <cstdint>
#include <functional>

#include "colonnade/nn/param.h"
#include "colonnade/tensor/device.h"

namespace colonnade {

/// Throws Error unless every declared parameter is in the source with its shape, and every tensor
/// of the source is declared (or is one of `ignorable`): the message names the files and lists the
/// first ten, by the layers' names and the files' own.
void check_params(const ParamSet& params, const std::vector<std::string>& ignorable);

/// What this rank's part of a matrix becomes. Matrices of integers meet activations of `tier`,
/// other ones f32.
WeightSpec weight_spec(const ParamSet& params, const MatrixParam& param, Tier tier);

/// Bytes of the files that hold this rank's part of the matrices.
int64_t share_bytes(const ParamSet& params);

/// Reads, converts and packs this rank's part of every parameter. Matrices of integers meet
/// activations of `tier`, other ones f32. `progress` is told how many of share_bytes() are done.
/// Throws what the source and the device throw.
void load_params(const ParamSet& params, Device& device, Tier tier,
                 const std::function<void(int64_t)>& progress);

}  // namespace colonnade
