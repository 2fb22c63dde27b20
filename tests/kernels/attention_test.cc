// Attention against docs/numerics.md section 5 written out position by position, through every
// table that this CPU runs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/random_operands.h"
#include "tests/support/bits.h"
#include <gtest/gtest.h>

namespace colonnade::kernels::test {
namespace {

using colonnade::test::same_bits;

/// e^x as the definition has it, for x <= 0: Taylor to the seventh power after reduction.
float defined_exp(float x) {
  if (x < -87.0F) return 0.0F;
  const int n = static_cast<int>(std::nearbyint(x * 1.44269504F));
  float r = std::fma(static_cast<float>(n), -0.693359375F, x);
  r = std::fma(static_cast<float>(n), 2.12194440e-4F, r);
  float p = 1.0F / 5040.0F;
  for (const float c :
       {1.0F / 720.0F, 1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F, 0.5F, 1.0F, 1.0F}) {
    p = std::fma(p, r, c);
  }
  return std::ldexp(p, n);
}

float as_cached(float x, CacheKind cache) {
  if (cache == CacheKind::f32) return x;
  const auto bits = __builtin_bit_cast(uint32_t, x);
  return __builtin_bit_cast(float, (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000U);
}

/// One sequence's keys, values and queries, and its cache pages; what no position wrote is NaN.
struct Sequence {
  Sequence(std::mt19937& random, int64_t length, int32_t dim, CacheKind kind)
      : head_dim(dim),
        cache(kind),
        q(random_floats(random, length * dim)),
        k(random_floats(random, length * dim)),
        v(random_floats(random, length * dim)) {
    const int64_t padded = (dim + 15) / 16 * 16, count = (length + kPage - 1) / kPage;
    storage.assign(count * 2, std::vector<float>(kPage * padded, std::nanf("")));
    for (std::vector<float>& page : storage) std::memset(page.data(), 0xff, page.size() * 4);
    for (int64_t i = 0; i < count; ++i) {
      pages.push_back({storage[2 * i].data(), storage[2 * i + 1].data()});
    }
  }
  /// Positions [begin, end) reach the cache.
  void append(const KernelTable& table, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      table.append_kv(pages[i / kPage], static_cast<int32_t>(i % kPage), &k[i * head_dim],
                      &v[i * head_dim], head_dim, cache);
    }
  }
  AttentionTask task(float* out, int64_t first, int64_t tokens, int64_t window) const {
    return {.q = &q[first * head_dim],
            .out = out,
            .pages = pages.data(),
            .q_stride = head_dim,
            .out_stride = head_dim,
            .first_position = first,
            .tokens = tokens,
            .window = window,
            .head_dim = head_dim,
            .scale = 0.3F,
            .cache = cache};
  }

  int32_t head_dim;
  CacheKind cache;
  std::vector<float> q, k, v;  // [length, head_dim]
  std::vector<std::vector<float>> storage;
  std::vector<PageView> pages;
};

struct Chunk {
  float max, sum;
  std::vector<float> o;
};

/// Positions [begin, end) of one page, from zero.
Chunk reference_chunk(const Sequence& s, const float* q, int64_t begin, int64_t end) {
  std::vector<float> scores;
  for (int64_t i = begin; i < end; ++i) {
    float score = 0.0F;
    for (int32_t d = 0; d < s.head_dim; ++d) {
      score = std::fma(q[d] * 0.3F, as_cached(s.k[i * s.head_dim + d], s.cache), score);
    }
    scores.push_back(score);
  }
  const float most = *std::max_element(scores.begin(), scores.end());
  Chunk c = {most, 0.0F, std::vector<float>(s.head_dim)};
  float lanes[2][16] = {};
  for (int64_t i = begin; i < end; ++i) {
    const float p = defined_exp(scores[i - begin] - most);
    lanes[i % kPage / 16 % 2][i % 16] += p;
    for (int32_t d = 0; d < s.head_dim; ++d) {
      c.o[d] = std::fma(p, as_cached(s.v[i * s.head_dim + d], s.cache), c.o[d]);
    }
  }
  for (int i = 0; i < 16; ++i) lanes[0][i] += lanes[1][i];
  for (int step = 8; step > 0; step /= 2) {
    for (int i = 0; i < step; ++i) lanes[0][i] += lanes[0][i + step];
  }
  c.sum = lanes[0][0];
  return c;
}

std::vector<float> reference_attention(const Sequence& s, int64_t first, int64_t tokens,
                                       int64_t window) {
  std::vector<float> out;
  for (int64_t position = first; position < first + tokens; ++position) {
    const int64_t seen = window == 0 ? 0 : std::max<int64_t>(0, position - window + 1);
    Chunk row = {0, 0, {}};
    for (int64_t page = seen / kPage; page <= position / kPage; ++page) {
      const Chunk c = reference_chunk(s, &s.q[position * s.head_dim], std::max(seen, page * kPage),
                                      std::min(position + 1, (page + 1) * kPage));
      if (row.o.empty()) {
        row = c;
        continue;
      }
      const float m = std::max(row.max, c.max);
      const float a = defined_exp(row.max - m), b = defined_exp(c.max - m);
      row.max = m;
      row.sum = std::fma(row.sum, a, c.sum * b);
      for (int32_t d = 0; d < s.head_dim; ++d) row.o[d] = std::fma(row.o[d], a, c.o[d] * b);
    }
    for (const float o : row.o) out.push_back(o / row.sum);
  }
  return out;
}

class Attention : public testing::TestWithParam<std::tuple<int, CacheKind>> {
 protected:
  int32_t head_dim() const { return std::get<0>(GetParam()); }
  CacheKind cache() const { return std::get<1>(GetParam()); }
  AlignedBytes scratch_{kScratchBytes};
  Scratch scratch() { return {scratch_.data(), kScratchBytes}; }
};

TEST_P(Attention, EveryTableGivesTheBitsOfTheDefinition) {
  std::mt19937 random(50 + head_dim());
  for (const int64_t window : {0, 1, 17, 64, 100}) {
    for (const int64_t tokens : {1, 4, 7, 70}) {
      const auto first = static_cast<int64_t>(random() % 140);
      Sequence s(random, first + tokens, head_dim(), cache());
      const std::vector<float> expected = reference_attention(s, first, tokens, window);
      s.append(*table_for(Isa::scalar), 0, first + tokens);
      for (const KernelTable* table : runnable_tables()) {
        std::vector<float> out(tokens * head_dim());
        table->attention(s.task(out.data(), first, tokens, window), scratch());
        ASSERT_TRUE(same_bits(out, expected))
            << table->name << " tokens " << tokens << " from " << first << " window " << window;
      }
    }
  }
}

TEST_P(Attention, TokensOneByOneGiveTheBitsOfOneCall) {
  std::mt19937 random(60 + head_dim());
  const int64_t length = 133;
  for (const int64_t window : {0, 50}) {
    for (const KernelTable* table : runnable_tables()) {
      Sequence together(random, length, head_dim(), cache());
      Sequence alone = together;
      for (size_t i = 0; i < alone.pages.size(); ++i) {
        alone.pages[i] = {alone.storage[2 * i].data(), alone.storage[2 * i + 1].data()};
      }
      std::vector<float> at_once(length * head_dim()), one_by_one(length * head_dim());
      together.append(*table, 0, length);
      table->attention(together.task(at_once.data(), 0, length, window), scratch());
      for (int64_t i = 0; i < length; ++i) {
        alone.append(*table, i, i + 1);
        table->attention(alone.task(&one_by_one[i * head_dim()], i, 1, window), scratch());
      }
      EXPECT_TRUE(same_bits(one_by_one, at_once)) << table->name << " window " << window;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Heads, Attention,
                         testing::Combine(testing::Values(16, 40, 64, 80, 128, 256),
                                          testing::Values(CacheKind::f32, CacheKind::bf16)));

TEST(AttentionOfOne, AFirstTokenSeesExactlyItsOwnValue) {
  std::mt19937 random(70);  // exp(0) is exactly 1, so v / 1
  Sequence s(random, 1, 64, CacheKind::f32);
  AlignedBytes scratch(kScratchBytes);
  for (const KernelTable* table : runnable_tables()) {
    s.append(*table, 0, 1);
    std::vector<float> out(64);
    table->attention(s.task(out.data(), 0, 1, 0), {scratch.data(), kScratchBytes});
    EXPECT_TRUE(same_bits(out, s.v)) << table->name;
  }
}

/// Softmax over scores as the task shapes them, in f64.
std::vector<double> attention64(const Sequence& s, const AttentionTask& task, int64_t position) {
  std::vector<double> scores;
  const int64_t seen = task.window == 0 ? 0 : std::max<int64_t>(0, position - task.window + 1);
  for (int64_t i = seen; i <= position; ++i) {
    double score = 0;
    for (int32_t d = 0; d < s.head_dim; ++d)
      score += double{s.q[position * s.head_dim + d] * 0.3F} * double{s.k[i * s.head_dim + d]};
    if (task.softcap > 0) score = task.softcap * std::tanh(score / task.softcap);
    scores.push_back(score - task.slope * static_cast<double>(position - i));
  }
  double most = *std::max_element(scores.begin(), scores.end());
  if (task.has_sink != 0) most = std::max(most, double{task.sink});
  double sum = task.has_sink != 0 ? std::exp(task.sink - most) : 0;
  std::vector<double> out(s.head_dim);
  for (size_t i = 0; i < scores.size(); ++i) {
    const double p = std::exp(scores[i] - most);
    sum += p;
    for (int32_t d = 0; d < s.head_dim; ++d)
      out[d] += p * double{s.v[(seen + static_cast<int64_t>(i)) * s.head_dim + d]};
  }
  for (double& o : out) o /= sum;
  return out;
}

TEST(AttentionWithShapedScores, IsItsDefinitionAndTheSameOnEveryTable) {
  constexpr int64_t kLength = 150;
  std::mt19937 random(72);
  const AttentionTask shapes[] = {
      {.softcap = 2.0F},
      {.slope = 0.25F},
      {.sink = 1.5F, .has_sink = 1},
      {.window = 40, .softcap = 3.0F, .slope = 0.1F, .sink = -2.0F, .has_sink = 1}};
  for (const AttentionTask& shape : shapes) {
    Sequence s(random, kLength, 24, CacheKind::f32);
    AlignedBytes scratch(kScratchBytes);
    s.append(*table_for(Isa::scalar), 0, kLength);
    const auto run = [&](const KernelTable& table, int64_t first, int64_t tokens, float* out) {
      AttentionTask task = s.task(out, first, tokens, shape.window);
      task.softcap = shape.softcap;
      task.slope = shape.slope;
      task.sink = shape.sink;
      task.has_sink = shape.has_sink;
      table.attention(task, {scratch.data(), kScratchBytes});
    };
    std::vector<float> expected(kLength * 24);
    run(*table_for(Isa::scalar), 0, kLength, expected.data());
    for (int64_t t = 0; t < kLength; ++t) {
      const std::vector<double> exact = attention64(s, shape, t);
      for (int d = 0; d < 24; ++d) EXPECT_NEAR(expected[t * 24 + d], exact[d], 1e-5) << t;
    }
    for (const KernelTable* table : runnable_tables()) {
      std::vector<float> together(kLength * 24), alone(kLength * 24);
      run(*table, 0, kLength, together.data());
      EXPECT_TRUE(same_bits(together, expected)) << table->name;
      for (int64_t t = 0; t < kLength; ++t) run(*table, t, 1, &alone[t * 24]);
      EXPECT_TRUE(same_bits(alone, expected)) << table->name << ", one by one";
    }
  }
}

TEST(AttentionWithStrides, ReadsAndWritesOneHeadAmongMany) {
  std::mt19937 random(71);
  Sequence s(random, 90, 64, CacheKind::bf16);
  AlignedBytes scratch(kScratchBytes);
  for (const KernelTable* table : runnable_tables()) {
    s.append(*table, 0, 90);
    std::vector<float> packed(90 * 64), spread(90 * 200, 5.0F), q(90 * 192);
    for (int64_t t = 0; t < 90; ++t) std::memcpy(&q[t * 192 + 64], &s.q[t * 64], 64 * 4);
    AttentionTask task = s.task(packed.data(), 0, 90, 0);
    table->attention(task, {scratch.data(), kScratchBytes});
    task.q = &q[64];
    task.q_stride = 192;
    task.out = &spread[100];
    task.out_stride = 200;
    table->attention(task, {scratch.data(), kScratchBytes});
    for (int64_t t = 0; t < 90; ++t) {
      ASSERT_EQ(std::memcmp(&spread[t * 200 + 100], &packed[t * 64], 64 * 4), 0) << table->name;
      ASSERT_EQ(spread[t * 200 + 99], 5.0F) << table->name;
      ASSERT_EQ(spread[t * 200 + 164], 5.0F) << table->name;
    }
  }
}

}  // namespace
}  // namespace colonnade::kernels::test
