// Draws by Gumbel-max: argmax of logit / T + g has the distribution softmax(logit / T), needs no
// sum over the vocabulary, and can be taken shard by shard in any order. g depends on (seed;
// choice, position, token id) alone. Source: Gumbel 1954; Maddison, Tarlow, Minka 2014, "A*
// sampling", section 2; docs/numerics.md.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace colonnade {

/// Names one draw: everything that its randomness depends on, apart from the token id.
struct DrawKey {
  uint64_t seed = 0;
  int32_t choice = 0;    // which of a request's answers
  int64_t position = 0;  // of the drawn token in its sequence
};

/// Random words of tokens 4 quad .. 4 quad + 3: Philox's four output words, so one call serves four
/// tokens.
std::array<uint32_t, 4> random_words(const DrawKey& key, uint32_t quad);

/// -log(-log(1 - w)) with w = (k + 1/2) 2^-32, from 22.9 (k = 0) down to -3.2.
double gumbel(uint32_t k);

/// Above every gumbel().
constexpr double kLargestGumbel = 22.88;

struct Draw {
  double score = -std::numeric_limits<double>::infinity();
  int32_t id = -1;  // -1: nothing drawn
};

/// Whether `a` wins over `b`: by score, ties by the lower id. Nothing drawn never wins.
bool wins(const Draw& a, const Draw& b);

/// logit / temperature + g of one token.
Draw score_token(const DrawKey& key, double temperature, float logit, int32_t id);

/// The winner among `logits` of the tokens first_id, first_id + 1, ...; first_id is a multiple
/// of 4. -infinity is never drawn. `block_max` [ceil(size / 256)] holds the largest of each 256
/// logits. The result is that of scoring every token, but blocks and tokens that cannot win are
/// recognised by integer compares of their random words.
Draw draw_token(const DrawKey& key, double temperature, std::span<const float> logits,
                int32_t first_id, std::span<const float> block_max);

}  // namespace colonnade
