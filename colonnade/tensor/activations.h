// Activations: a product's right-hand side, in the forms that its weights read.
#pragma once

#include <cstdint>

#include "colonnade/tensor/tensor.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

/// [T, K] as f32 values, as integer codes for one K plan, or both. `replicas` > 1: each of the
/// device's workers holds the whole of it for itself, written by itself, so nobody waits for
/// another.
struct Activations {
  int64_t tokens = 0;
  int64_t k = 0;
  int64_t replicas = 1;
  Tensor values;                 // [replicas, T, K] f32, or none
  Tensor codes;                  // [replicas, bytes] u8, or none; the layout is the device's
  const Weight* plan = nullptr;  // the codes follow this weight's plan and tier
};

/// Activations as commands see them. values and codes may both be set.
struct ActivationsRef {
  float* values = nullptr;       // [replicas, T, K]
  std::byte* codes = nullptr;    // [replicas, Device::codes_bytes]
  const Weight* plan = nullptr;  // of the codes
  int64_t tokens = 0;
  int64_t k = 0;
  int64_t replicas = 1;  // 1, or one per worker
};

}  // namespace colonnade
