#include "colonnade/engine/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "colonnade/base/error.h"
#include "colonnade/base/math.h"
#include "colonnade/engine/ranking.h"

namespace colonnade {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr int kLanes = 16;

std::span<const float> block_of(std::span<const float> logits, size_t block) {
  const size_t begin = block * kVocabularyBlock;
  return logits.subspan(begin, std::min<size_t>(kVocabularyBlock, logits.size() - begin));
}

struct Extreme {
  float max = -kInfinity;
  bool bad = false;  // NaN or +infinity among the logits
};

// The compilers' own vectors: arrays of lanes would stay in memory, and a greedy token is bound by
// this loop.
typedef float F32x8 __attribute__((vector_size(32)));

struct Lanes {
  F32x8 max = F32x8{} - kInfinity;
  F32x8 bad = F32x8{};  // sum of logit - logit: 0, or NaN if one is not finite
};

F32x8 larger(F32x8 a, F32x8 b) { return a > b ? a : b; }

/// 8 logits more.
void absorb(Lanes& lanes, const float* logits) {
  F32x8 x;
  std::memcpy(&x, logits, sizeof(x));
  lanes.max = larger(x, lanes.max);
  lanes.bad += x - x;
}

/// 32 logits at a time: a maximum takes 4 cycles, so one chain of them would leave three quarters
/// of the unit idle.
Extreme extreme_of(std::span<const float> block) {
  Lanes a, b, c, d;
  size_t i = 0;
  for (; i + 32 <= block.size(); i += 32) {
    absorb(a, &block[i]);
    absorb(b, &block[i + 8]);
    absorb(c, &block[i + 16]);
    absorb(d, &block[i + 24]);
  }
  const F32x8 max = larger(larger(a.max, b.max), larger(c.max, d.max));
  const F32x8 bad = (a.bad + b.bad) + (c.bad + d.bad);
  Extreme result;
  bool suspect = false;
  for (int lane = 0; lane < 8; ++lane) {
    result.max = max[lane] > result.max ? max[lane] : result.max;
    suspect |= bad[lane] != 0.0F;
  }
  for (; i < block.size(); ++i) {
    result.max = block[i] > result.max ? block[i] : result.max;
    suspect |= block[i] - block[i] != 0.0F;
  }
  // -infinity is suspect but legal; only then look again.
  const auto illegal = [](float x) { return !(x < kInfinity); };
  result.bad = suspect && std::any_of(block.begin(), block.end(), illegal);
  return result;
}

[[noreturn]] void report_bad_logit(std::span<const float> block, int64_t first_id) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (block[i] < kInfinity) continue;
    throw ModelError(concat("sampling: logit of token ", first_id + static_cast<int64_t>(i),
                            ": expected a number below infinity, got ", block[i]),
                     0);
  }
  CN_ASSERT(false, "no bad logit in the block from token ", first_id);
}

void find_block_maxima(std::span<const float> logits, int64_t first_id,
                       std::vector<float>& maxima) {
  const size_t blocks = (logits.size() + kVocabularyBlock - 1) / kVocabularyBlock;
  maxima.resize(blocks);
  for (size_t block = 0; block < blocks; ++block) {
    const Extreme extreme = extreme_of(block_of(logits, block));
    if (extreme.bad) {
      report_bad_logit(block_of(logits, block),
                       first_id + static_cast<int64_t>(block) * kVocabularyBlock);
    }
    maxima[block] = extreme.max;
  }
}

/// sums[lane] += exp(logits[lane] - max) for 16 lanes.
void add_exp(double* sums, const float* logits, double max) {
  for (int lane = 0; lane < kLanes; ++lane) {
    sums[lane] += math::exp_nonpositive(static_cast<double>(logits[lane]) - max);
  }
}

/// Sum of exp(logit - max): element i goes to accumulator (i / 16) % 2, lane i % 16; then the
/// accumulators are added, then lanes at distance 8, 4, 2, 1 (docs/numerics.md, "Vectors and
/// sums"), in f64.
double exp_sum(std::span<const float> block, float max) {
  if (max == -kInfinity) return 0.0;
  float padding[kLanes];
  std::fill_n(padding, kLanes, -kInfinity);  // adds exactly 0
  double sums[2][kLanes] = {};
  for (size_t i = 0; i < block.size(); i += kLanes) {
    const std::span<const float> lanes =
        block.subspan(i, std::min<size_t>(kLanes, block.size() - i));
    const bool whole = lanes.size() == kLanes;
    if (!whole) std::copy(lanes.begin(), lanes.end(), padding);
    add_exp(sums[(i / kLanes) % 2], whole ? lanes.data() : padding, static_cast<double>(max));
  }
  for (int lane = 0; lane < kLanes; ++lane) sums[0][lane] += sums[1][lane];
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    for (int lane = 0; lane < distance; ++lane) sums[0][lane] += sums[0][lane + distance];
  }
  return sums[0][0];
}

}  // namespace

/// The count-th largest block maximum: at least `count` tokens reach it, because each is a token's.
float ShardScan::reached_by_blocks(int64_t count) {
  maxima_ = summary_.block_max;
  const auto place = maxima_.begin() + (count - 1);
  std::nth_element(maxima_.begin(), place, maxima_.end(), std::greater<>());
  return *place;
}

/// For counts above the number of blocks: logits are counted by the upper 16 bits of their order.
float ShardScan::reached_by_tokens(std::span<const float> logits, int64_t count) {
  constexpr int kDropped = 16;
  histogram_.assign(size_t{1} << (32 - kDropped), 0);
  for (const float logit : logits) ++histogram_[falling_order(logit) >> kDropped];
  uint32_t bin = 0;
  for (int64_t found = histogram_[0]; found < count; found += histogram_[bin]) ++bin;
  const uint32_t last = (bin << kDropped) | ((1u << kDropped) - 1);
  return logit_of_order(std::min(last, falling_order(kLowest)));  // no NaN
}

void ShardScan::find_candidates(std::span<const float> logits, int64_t first_id, int64_t count) {
  std::vector<Candidate>& found = summary_.candidates;
  const auto tokens_here = static_cast<int64_t>(logits.size());
  float least = kLowest;
  if (count < tokens_here) {
    const bool few = count <= static_cast<int64_t>(summary_.block_max.size());
    least = few ? reached_by_blocks(count) : reached_by_tokens(logits, count);
  }
  least = std::max(least, kLowest);  // -infinity is no candidate
  for (size_t block = 0; block < summary_.block_max.size(); ++block) {
    if (summary_.block_max[block] < least) continue;
    const std::span<const float> tokens = block_of(logits, block);
    const auto id = static_cast<int32_t>(first_id) + static_cast<int32_t>(block * kVocabularyBlock);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] >= least) found.push_back({tokens[i], id + static_cast<int32_t>(i)});
    }
  }
  summary_.complete = least == kLowest && static_cast<int64_t>(found.size()) <= count;
  sort_candidates(found, spare_);
  if (static_cast<int64_t>(found.size()) > count) found.resize(static_cast<size_t>(count));
}

const ShardSummary& ShardScan::operator()(std::span<const float> logits, int64_t first_id,
                                          const ShardRequest& request) {
  CN_ASSERT(first_id % kVocabularyBlock == 0 || logits.empty(), "shard begins at token ", first_id);
  summary_.block_sum.clear();
  summary_.candidates.clear();
  summary_.complete = false;
  summary_.draw = {};
  summary_.has_token =
      request.token >= first_id && request.token < first_id + static_cast<int64_t>(logits.size());
  if (summary_.has_token)
    summary_.token_logit = logits[static_cast<size_t>(request.token - first_id)];
  find_block_maxima(logits, first_id, summary_.block_max);
  if (request.sums) {
    for (size_t block = 0; block < summary_.block_max.size(); ++block) {
      summary_.block_sum.push_back(exp_sum(block_of(logits, block), summary_.block_max[block]));
    }
  }
  if (request.candidates > 0) find_candidates(logits, first_id, request.candidates);
  if (request.draw) {
    summary_.draw = draw_token(request.key, request.temperature, logits,
                               static_cast<int32_t>(first_id), summary_.block_max);
  }
  return summary_;
}

const ShardSummary& ShardScan::operator()(std::span<const float> logits, int64_t first_id,
                                          const LogitChanges& changes,
                                          const ShardRequest& request) {
  if (!changes.any()) return (*this)(logits, first_id, request);
  changed_.assign(logits.begin(), logits.end());
  changes.apply(changed_, first_id);
  return (*this)(changed_, first_id, request);
}

void write_summary(const ShardSummary& summary, ByteWriter& out) {
  out.put_all<float>(summary.block_max);
  out.put_all<double>(summary.block_sum);
  out.put_all<Candidate>(summary.candidates);
  out.put(summary.complete);
  out.put(summary.draw);
  out.put(summary.has_token);
  out.put(summary.token_logit);
}

void read_summary(ByteReader& in, ShardSummary& summary) {
  in.get_all(summary.block_max);
  in.get_all(summary.block_sum);
  in.get_all(summary.candidates);
  in.get(summary.complete);
  in.get(summary.draw);
  in.get(summary.has_token);
  in.get(summary.token_logit);
}

}  // namespace colonnade
