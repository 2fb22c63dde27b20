#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/random.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/device/cpu_commands.h"
#include "colonnade/device/devices.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 5;

/// A model of one layer: heads of 80, so that codes restart inside a group of 32.
struct Model {
  int64_t heads = 5;
  int64_t kv_heads = 2;
  int64_t group = 3;
  int64_t first_in_group = 1;  // query heads 0, 1 share KV head 0; 2, 3, 4 share KV head 1
  int64_t dim = 80;
  DType cache = DType::f32;
  int64_t window = 0;
};

int64_t kv_head(const Model& s, int64_t head) { return (s.first_in_group + head) / s.group; }

/// One sequence: pages of its own, all inputs of `positions` tokens.
class Sequence {
 public:
  Sequence(const Model& model, uint64_t seed, int64_t positions)
      : layout{1, model.kv_heads, model.dim, model.cache},
        cols((model.heads + 2 * model.kv_heads) * model.dim),
        qkv(test::random_floats(seed, positions * cols)) {
    const int64_t count = (positions + 63) / 64;
    for (int64_t p = 0; p < count; ++p) memory.push_back(allocate_host_memory(layout.page_bytes()));
    for (const Memory& page : memory) pages.push_back(page.data());
  }
  KvLayout layout;
  int64_t cols;
  std::vector<float> qkv;  // [positions, cols]
  std::vector<Memory> memory;
  std::vector<std::byte*> pages;
};

enum class How { one_command, two_commands };

/// What attention writes for all positions of `sequences`, fed in chunks of `chunk` tokens each.
std::vector<float> attend(const Model& model, std::vector<Sequence>& sequences, int64_t positions,
                          int64_t chunk, int threads, How how) {
  const auto device = make_device({.threads = threads});
  const auto count = static_cast<int64_t>(sequences.size());
  const int64_t cols = sequences[0].cols;
  const int64_t width = model.heads * model.dim;
  std::vector<float> all(static_cast<size_t>(count * positions * width));
  for (int64_t begin = 0; begin < positions; begin += chunk) {
    const int64_t tokens = std::min(chunk, positions - begin);
    std::vector<float> qkv, out(static_cast<size_t>(count * tokens * width));
    std::vector<SequenceSpan> spans;
    for (int64_t s = 0; s < count; ++s) {
      Sequence& sequence = sequences[static_cast<size_t>(s)];
      const auto from = sequence.qkv.begin() + begin * cols;
      qkv.insert(qkv.end(), from, from + tokens * cols);
      spans.push_back({s * tokens, tokens, begin, sequence.pages.data()});
    }
    AttentionCommand command;
    command.q = qkv.data();
    command.k = command.q + model.heads * model.dim;
    command.v = command.k + model.kv_heads * model.dim;
    command.stride = cols;
    command.layout = &sequences[0].layout;
    command.sequences = spans.data();
    command.sequence_count = count;
    command.window = model.window;
    command.heads = static_cast<int32_t>(model.heads);
    command.group = static_cast<int32_t>(model.group);
    command.first_in_group = static_cast<int32_t>(model.first_in_group);
    command.scale = 0.125f;
    command.out = {out.data(), nullptr, nullptr, count * tokens, width, 1};
    if (how == How::two_commands) {
      command.phase = AttentionPhase::prepare;
      device->launch(command, Sync::meet);
      command.phase = AttentionPhase::attend;
    }
    device->launch(command, Sync::meet);
    device->join();
    for (int64_t s = 0; s < count; ++s) {
      std::copy_n(out.begin() + s * tokens * width, tokens * width,
                  all.begin() + (s * positions + begin) * width);
    }
  }
  return all;
}

std::vector<Sequence> make_sequences(const Model& model, int count, int64_t positions) {
  std::vector<Sequence> sequences;
  for (int s = 0; s < count; ++s)
    sequences.emplace_back(model, kSeed + static_cast<uint64_t>(s), positions);
  return sequences;
}

/// Attention in f64 by its definition.
std::vector<double> reference(const Model& model, const Sequence& sequence, int64_t positions) {
  std::vector<double> out;
  const auto row = [&](int64_t t) { return sequence.qkv.data() + t * sequence.cols; };
  for (int64_t t = 0; t < positions; ++t) {
    for (int64_t h = 0; h < model.heads; ++h) {
      const float* q = row(t) + h * model.dim;
      const int64_t k_at = (model.heads + kv_head(model, h)) * model.dim;
      const int64_t v_at = k_at + model.kv_heads * model.dim;
      const int64_t first = model.window == 0 ? 0 : std::max<int64_t>(0, t - model.window + 1);
      std::vector<double> weights, sum(static_cast<size_t>(model.dim), 0.0);
      double largest = -INFINITY, total = 0;
      for (int64_t p = first; p <= t; ++p) {
        double score = 0;
        for (int64_t d = 0; d < model.dim; ++d) score += double{q[d]} * double{row(p)[k_at + d]};
        weights.push_back(score * 0.125);
        largest = std::max(largest, weights.back());
      }
      for (double& weight : weights) total += weight = std::exp(weight - largest);
      for (int64_t p = first; p <= t; ++p) {
        for (int64_t d = 0; d < model.dim; ++d) {
          sum[static_cast<size_t>(d)] +=
              weights[static_cast<size_t>(p - first)] / total * double{row(p)[v_at + d]};
        }
      }
      out.insert(out.end(), sum.begin(), sum.end());
    }
  }
  return out;
}

TEST(Attention, IsSoftmaxOfScoresTimesValues) {
  constexpr int64_t kPositions = 150;
  for (int64_t window : {0, 10, 70}) {
    Model model;
    model.window = window;
    std::vector<Sequence> sequences = make_sequences(model, 1, kPositions);
    const std::vector<float> actual =
        attend(model, sequences, kPositions, kPositions, 2, How::two_commands);
    const std::vector<double> expected = reference(model, sequences[0], kPositions);
    // Scores: 80 products of magnitude <= 1 with error 80 * 2^-24 each, times 0.125, through exp;
    // values <= 1.
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 1e-4) << i;
  }
}

TEST(Attention, ChunksThreadsAndBatchMatesKeepTheBits) {
  constexpr int64_t kPositions = 130;
  for (DType cache : {DType::f32, DType::bf16}) {
    Model model;
    model.cache = cache;
    std::vector<Sequence> sequences = make_sequences(model, 3, kPositions);
    const std::vector<float> expected =
        attend(model, sequences, kPositions, kPositions, 1, How::one_command);
    for (int threads : {1, 2, 3, 7}) {
      for (int64_t chunk : {1, 7, 64}) {
        for (How how : {How::one_command, How::two_commands}) {
          EXPECT_TRUE(
              test::same_bits(attend(model, sequences, kPositions, chunk, threads, how), expected))
              << threads << " threads, chunks of " << chunk;
        }
      }
    }
    std::vector<Sequence> alone = make_sequences(model, 1, kPositions);
    const std::vector<float> first = attend(model, alone, kPositions, 64, 2, How::two_commands);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), expected.begin()));
  }
}

}  // namespace
}  // namespace colonnade
