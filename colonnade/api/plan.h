// What every rank of a model would hold, read, compute and send, worked out from the header of its
// file alone: the machine that asks need not be able to hold the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "colonnade/api/defaults.h"
#include "colonnade/api/memory_plan.h"
#include "colonnade/api/useful_ranks.h"
#include "colonnade/base/dtype.h"
#include "colonnade/base/range.h"
#include "colonnade/io/tensor_source.h"
#include "colonnade/models/decoder_config.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

struct PlanRequest {
  int ranks = 1;
  std::vector<double> shares = {};     // empty: equal
  int64_t context = 0;                 // positions; 0: default_context()
  int64_t chunk = kDefaultChunk;       // prompt tokens of a step
  std::optional<Tier> precision = {};  // none: int8
  std::optional<DType> cache = {};     // none: default_cache()
};

/// The side of a matrix [rows, cols] that is divided among the ranks.
enum class CutSide : uint8_t { whole, rows, cols };

struct MatrixCut {
  std::string name;  // "attn_q", "token_embd"
  int64_t rows = 0;
  int64_t cols = 0;
  CutSide side = CutSide::whole;
  int64_t unit = 0;               // rows or columns that no cut parts; 0: whole
  std::vector<Range> parts = {};  // [N] of the cut side; K and V: ranks may hold the same heads

  friend bool operator==(const MatrixCut&, const MatrixCut&) = default;
};

/// Layers whose matrices are cut alike.
struct LayerCut {
  std::vector<int64_t> layers;
  std::vector<MatrixCut> matrices;

  /// Throws Error if there is none.
  const MatrixCut& matrix(const std::string& name) const;
};

struct RankPlan {
  Range heads;
  Range kv_heads;
  Range vocabulary;
  int64_t hidden = 0;  // of F, in the layer where it has most of it
  MemoryPlan memory;
  int64_t bytes_per_token = 0;           // of weights that a decode step reads
  int64_t cache_bytes_per_position = 0;  // that it reads as well for every position before it
  int64_t multiply_adds = 0;             // of one token, without attention
};

/// What all ranks do together for one token.
struct Exchange {
  enum Kind : uint8_t { sum, gather, tell } kind = sum;
  std::string what;
  int64_t per_token = 0;
  int64_t bytes = 0;  // that each rank gives to every other, at most; tell: the first rank alone
};

struct ModelPlan {
  DecoderConfig config;
  int64_t context = 0;
  int64_t chunk = 0;
  DType cache = DType::bf16;
  std::vector<LayerCut> layers;
  std::vector<MatrixCut> ends;  // embedding and head; tied: one matrix
  std::vector<RankPlan> ranks;
  std::vector<Exchange> exchanges;  // one rank: none
  UsefulRanks useful;

  int size() const { return static_cast<int>(ranks.size()); }
  int64_t exchanges_per_token() const;
  /// That each rank gives to every other.
  int64_t exchanged_bytes_per_token() const;
};

/// Throws Error "context: ...", "ranks: ..." or "shares: ..." for a request that the model cannot
/// fulfil, or that check_useful_ranks() refuses.
void check_request(const TensorSource& source, const DecoderConfig& config,
                   const PlanRequest& request);

/// Throws Error as check_request() does, and for tensors that are missing or too many.
ModelPlan plan_model(const TensorSource& source, const DecoderConfig& config,
                     const PlanRequest& request);

/// Memory of a rank that holds the heads, hidden part and weights of `rank`, as `request` says the
/// rest.
MemoryPlan rank_memory(const DecoderConfig& config, const RankPlan& rank,
                       const PlanRequest& request);

/// What one rank of plan_model() is, without the others.
RankPlan plan_rank(const TensorSource& source, const DecoderConfig& config,
                   const PlanRequest& request, int rank);

}  // namespace colonnade
