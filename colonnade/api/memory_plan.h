// The memory that a session needs, worked out before anything is loaded.
#pragma once

#include <cstdint>
#include <string>

#include "colonnade/models/decoder_config.h"
#include "colonnade/nn/param.h"
#include "colonnade/tensor/kv_layout.h"

namespace colonnade {

struct MemoryPlan {
  int64_t weight_bytes = 0;
  int64_t cache_bytes = 0;    // keys and values of a whole context
  int64_t scratch_bytes = 0;  // activations and logits of one step, tables, the tokenizer

  int64_t total() const { return weight_bytes + cache_bytes + scratch_bytes; }
  MemoryPlan& operator+=(const MemoryPlan& other) {
    weight_bytes += other.weight_bytes;
    cache_bytes += other.cache_bytes;
    scratch_bytes += other.scratch_bytes;
    return *this;
  }
};

/// Bytes of this rank's part of `param` as the CPU packs it: exactly what loading takes.
int64_t packed_weight_bytes(const ParamSet& params, const MatrixParam& param);

/// Bytes that a rank must be able to tell at once, so that sums of a step of `rows` tokens go in
/// tiles of a fair size.
int64_t largest_part_bytes(const DecoderConfig& config, int64_t rows);

/// `chunk` tokens in a step, `context` positions.
MemoryPlan plan_memory(const DecoderConfig& config, int64_t weight_bytes, const KvLayout& layout,
                       int64_t context, int64_t chunk);

/// Throws Error with the arithmetic if `plan` does not fit into `available_bytes`, and what to do.
void check_memory(const MemoryPlan& plan, int64_t available_bytes, int64_t context);

}  // namespace colonnade
