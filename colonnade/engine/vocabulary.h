// One rank's part of choosing a token: what it finds in its share of the logits, small enough to be
// gathered by all ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/engine/bytes.h"
#include "colonnade/engine/gumbel.h"
#include "colonnade/engine/penalties.h"
#include "colonnade/engine/ranking.h"
#include "colonnade/nn/embedding.h"

namespace colonnade {

/// Sums over the vocabulary are taken block by block; shards begin at multiples of it.
constexpr int64_t kVocabularyBlock = kVocabularyUnit;

/// What all ranks want to know of every shard.
struct ShardRequest {
  int64_t candidates = 0;  // so many of the best, in order
  bool sums = false;       // the block sums
  bool draw = false;       // the winner of draw_token
  DrawKey key;
  double temperature = 1.0;
  int32_t token = -1;  // whose logit is wanted; -1: nobody's
};

struct ShardSummary {
  std::vector<float> block_max;   // [ceil(V_r / 256)] largest logit
  std::vector<double> block_sum;  // [ceil(V_r / 256)] sum of exp(logit - largest), or empty
  Ranking candidates;             // in order; -infinity is no candidate
  bool complete = false;          // there are no others
  Draw draw;
  float token_logit = 0.0F;  // of ShardRequest::token
  bool has_token = false;    // it is one of this shard's
};

/// Appends `summary` to `out`, and reads one back. The reader throws Error if the bytes are none.
void write_summary(const ShardSummary& summary, ByteWriter& out);
void read_summary(ByteReader& in, ShardSummary& summary);

/// Summarises shards, one after the other. Keeps its memory from call to call: the same request
/// does not allocate again.
class ShardScan {
 public:
  /// Of the `logits` [V_r] of the tokens from `first_id`, a multiple of 256 unless there are none,
  /// on. Valid until the next call. Throws Error that names the token if a logit is NaN or
  /// +infinity.
  const ShardSummary& operator()(std::span<const float> logits, int64_t first_id,
                                 const ShardRequest& request);
  /// The same behind `changes`; the caller's logits stay as they are.
  const ShardSummary& operator()(std::span<const float> logits, int64_t first_id,
                                 const LogitChanges& changes, const ShardRequest& request);

 private:
  float reached_by_blocks(int64_t count);
  float reached_by_tokens(std::span<const float> logits, int64_t count);
  void find_candidates(std::span<const float> logits, int64_t first_id, int64_t count);

  ShardSummary summary_;
  std::vector<float> changed_;  // [V_r]
  std::vector<float> maxima_;   // block maxima, partly sorted
  std::vector<int32_t> histogram_;
  Ranking spare_;
};

}  // namespace colonnade
