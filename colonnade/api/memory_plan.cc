#include "colonnade/api/memory_plan.h"

#include <algorithm>
#include <cstdio>

#include "colonnade/base/error.h"
#include "colonnade/device/cpu_weight.h"
#include "colonnade/models/loader.h"

namespace colonnade {
namespace {

std::string gib(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

}  // namespace

int64_t packed_weight_bytes(const ParamSet& params, const MatrixParam& param) {
  return packed_bytes(weight_spec(params, param, Tier::int8));  // no tier changes the layout
}

int64_t largest_part_bytes(const DecoderConfig& config, int64_t rows) {
  // Large enough that every worker has its part of a tile and that telling costs little, small
  // enough that the tile stays in a core's cache.
  constexpr int64_t kFewest = 64;  // rows of a tile
  constexpr int64_t kUsual = int64_t{1} << 20;
  constexpr int64_t kLines = 256;  // counts and what aligns them
  const int64_t one_row = config.dim * 8;
  // Of every value a sum, and of those that a rank finishes the result of the tile before.
  return std::max({kUsual, one_row, rows * kFewest * (8 + 4)}) + kLines;
}

MemoryPlan plan_memory(const DecoderConfig& c, int64_t weight_bytes, const KvLayout& layout,
                       int64_t context, int64_t chunk) {
  const int64_t pages = (context + kPagePositions - 1) / kPagePositions;
  const int64_t rows = std::min(chunk, context);
  // Per row: residual, norm and its codes; q, k, v and the heads; gate, up and the codes of their
  // product.
  const int64_t per_row =
      4 * (4 * c.dim + (3 * c.heads + 2 * c.kv_heads) * c.head_dim + 3 * c.ffn_dim);
  const int64_t tables = 2 * context * c.rotary_dim / 2 * 4;
  constexpr int64_t kTokenizer = 400;  // bytes per token of text, merges and their look-up
  return {weight_bytes, pages * layout.page_bytes(),
          rows * per_row + tables + c.vocab * (kTokenizer + 8)};
}

void check_memory(const MemoryPlan& plan, int64_t available_bytes, int64_t context) {
  CN_CHECK(plan.total() <= available_bytes, "memory: expected at most ", gib(available_bytes),
           " (available), needed are ", gib(plan.total()), " = ", gib(plan.weight_bytes),
           " weights + ", gib(plan.cache_bytes), " KV cache of ", context, " positions + ",
           gib(plan.scratch_bytes),
           " scratch; choose a smaller model, a shorter context (-c) or free memory");
}

}  // namespace colonnade
