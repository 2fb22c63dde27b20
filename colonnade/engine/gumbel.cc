#include "colonnade/engine/gumbel.h"

#include <algorithm>
#include <cmath>

#include "colonnade/base/math.h"
#include "colonnade/base/philox.h"
#include "colonnade/engine/vocabulary.h"

namespace colonnade {
namespace {

/// Upper bound of the k whose gumbel() can lift `scaled` (logit / T) to `best` or above; -1 if none
/// can. g >= t holds for k <= 2^32 (1 - exp(-exp(-t))) - 1/2. The margin covers every rounding on
/// the way, also that of logit / T + g, and two steps more that of the result.
int64_t largest_winning_word(double best, double scaled) {
  const double margin = 1e-9 + 0x1p-50 * (std::fabs(best) + std::fabs(scaled));
  const double t = best - scaled - margin;
  if (!(t < kLargestGumbel)) return -1;
  if (t < -4.0) return std::numeric_limits<uint32_t>::max();
  const double tail = math::exp(-t);
  // 1 - exp(-tail) by its series where the subtraction would cancel.
  const double w = tail < 1e-5 ? tail : 1.0 - math::exp(-tail);
  return static_cast<int64_t>(w * 0x1p32) + 2;
}

/// What a token needs in order to win over `best`.
struct Bar {
  int64_t word;  // at most this random word, in a block whose largest logit is known
  double logit;  // at least this logit, whatever the random word
};

Bar bar_of(const Draw& best, double scaled_block_max, double temperature) {
  if (best.id < 0) {
    return {std::numeric_limits<uint32_t>::max(), std::numeric_limits<double>::lowest()};
  }
  const double margin = 1e-9 + 0x1p-50 * (std::fabs(best.score) + kLargestGumbel);
  return {largest_winning_word(best.score, scaled_block_max),
          (best.score - kLargestGumbel - margin) * temperature};
}

/// Tokens of one block, first_id a multiple of 4.
struct Block {
  std::span<const float> logits;
  int32_t first_id;
  double scaled_max;  // largest logit / T
};

/// Replaces `best` by the winner of the block if that wins.
void draw_in_block(const DrawKey& key, double temperature, const Block& block, Draw& best) {
  Bar bar = bar_of(best, block.scaled_max, temperature);
  if (bar.word < 0) return;
  for (size_t i = 0; i < block.logits.size(); i += 4) {
    const auto quad = block.logits.subspan(i, std::min<size_t>(4, block.logits.size() - i));
    const auto may_win = [&](float logit) { return logit >= bar.logit; };
    if (std::none_of(quad.begin(), quad.end(), may_win)) continue;
    const int32_t id = block.first_id + static_cast<int32_t>(i);
    const auto words = random_words(key, static_cast<uint32_t>(id) / 4);
    for (size_t j = 0; j < quad.size(); ++j) {
      if (words[j] > bar.word || !may_win(quad[j])) continue;
      const Draw draw{static_cast<double>(quad[j]) / temperature + gumbel(words[j]),
                      id + static_cast<int32_t>(j)};
      if (!wins(draw, best)) continue;
      best = draw;
      bar = bar_of(best, block.scaled_max, temperature);
    }
  }
}

}  // namespace

std::array<uint32_t, 4> random_words(const DrawKey& key, uint32_t quad) {
  const auto position = static_cast<uint64_t>(key.position);
  return philox4x32({quad, static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32),
                     static_cast<uint32_t>(key.choice)},
                    philox_key(key.seed));
}

double gumbel(uint32_t k) {
  const double w = (static_cast<double>(k) + 0.5) * 0x1p-32;
  return -math::log(-math::log1p(-w));
}

bool wins(const Draw& a, const Draw& b) {
  if (a.id < 0) return false;
  if (b.id < 0 || a.score > b.score) return true;
  return a.score == b.score && a.id < b.id;
}

Draw score_token(const DrawKey& key, double temperature, float logit, int32_t id) {
  if (logit == -std::numeric_limits<float>::infinity()) return {};
  const auto words = random_words(key, static_cast<uint32_t>(id) / 4);
  return {static_cast<double>(logit) / temperature + gumbel(words[static_cast<size_t>(id) % 4]),
          id};
}

Draw draw_token(const DrawKey& key, double temperature, std::span<const float> logits,
                int32_t first_id, std::span<const float> block_max) {
  const auto best_block =
      static_cast<size_t>(std::max_element(block_max.begin(), block_max.end()) - block_max.begin());
  Draw best;
  const auto visit = [&](size_t block) {
    const size_t begin = block * kVocabularyBlock;
    const size_t size = std::min<size_t>(kVocabularyBlock, logits.size() - begin);
    const Block view{logits.subspan(begin, size), first_id + static_cast<int32_t>(begin),
                     static_cast<double>(block_max[block]) / temperature};
    draw_in_block(key, temperature, view, best);
  };
  // The block of the largest logit first: its winner excludes most of the others.
  if (best_block < block_max.size()) visit(best_block);
  for (size_t block = 0; block < block_max.size(); ++block) {
    if (block != best_block) visit(block);
  }
  return best;
}

}  // namespace colonnade
