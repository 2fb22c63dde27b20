#include "colonnade/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "tests/ops/ops_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/heap_meter.h"
#include "tests/support/random.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/ops/embed.h"
#include "colonnade/ops/matmul.h"
#include "colonnade/ops/norm.h"
#include "colonnade/ops/parallel.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 21;
constexpr float kEps = 1e-5f;

/// A cache of one sequence and tables of angles.
struct Cache {
  Cache(Device& device, const KvLayout& kv_layout, int64_t positions, int64_t rotary)
      : layout(kv_layout) {
    for (int64_t p = 0; p * 64 < positions; ++p) {
      memory.push_back(device.allocate(layout.page_bytes()));
      pages.push_back(memory.back().data());
    }
    rope.cosines = make_tensor(device, {positions, rotary / 2});
    rope.sines = make_tensor(device, {positions, rotary / 2});
    for (int64_t i = 0; i < positions * rotary / 2; ++i) {
      const double angle = static_cast<double>(i / (rotary / 2)) *
                           std::pow(10000.0, -2.0 * static_cast<double>(i % (rotary / 2)) /
                                                 static_cast<double>(rotary));
      rope.cosines.f32()[i] = static_cast<float>(std::cos(angle));
      rope.sines.f32()[i] = static_cast<float>(std::sin(angle));
    }
  }
  KvLayout layout;
  std::vector<Memory> memory;
  std::vector<std::byte*> pages;
  RopeTable rope;
};

struct Heads {
  int heads = 6;
  int kv_heads = 2;
  int dim = 80;
};

/// attention, then the output product (leaf: a head), of all positions fed in chunks of `chunk`.
std::vector<float> attention_output(const Heads& h, Tier tier, int64_t leaf, int threads,
                                    int64_t chunk) {
  constexpr int64_t kPositions = 70;
  test::OpsFixture f(threads);
  Cache cache(*f.device, {1, h.kv_heads, h.dim, DType::bf16}, kPositions, h.dim);
  const int64_t k = int64_t{h.heads} * h.dim;
  const KPlan plan(WeightFormat::q8_0, KCut{k, {0, k}, leaf});
  const test::TestWeight out =
      test::random_weight(*f.device, kSeed, WeightSpec{"o", WeightFormat::q8_0, 32, plan, tier});
  const int64_t cols = int64_t{h.heads + 2 * h.kv_heads} * h.dim;
  const std::vector<float> qkv = test::random_floats(kSeed, kPositions * cols);
  AttentionParams params;
  params.heads = h.heads;
  params.kv_heads = h.kv_heads;
  params.head_dim = h.dim;
  params.group = h.heads / h.kv_heads;
  params.scale = 0.1f;
  params.rope = &cache.rope;
  params.q_norm = f.tensor(test::random_floats(1, h.dim), {h.dim});
  params.k_norm = f.tensor(test::random_floats(2, h.dim), {h.dim});
  params.norm_eps = kEps;
  std::vector<float> all;
  for (int64_t begin = 0; begin < kPositions; begin += chunk) {
    const int64_t tokens = std::min(chunk, kPositions - begin);
    const Tensor rows = f.tensor(
        {qkv.begin() + begin * cols, qkv.begin() + (begin + tokens) * cols}, {tokens, cols});
    const SequenceSpan span{0, tokens, begin, cache.pages.data()};
    const Activations a =
        attention(f.cx, rows, params, {&cache.layout, {&span, 1}}, 0, *out.packed);
    const std::vector<float> y = f.read(sharded_to_all(f.cx, a, {out.packed.get(), {}}, {}));
    all.insert(all.end(), y.begin(), y.end());
  }
  return all;
}

TEST(AttentionOp, ThreadsAndChunksKeepTheBits) {
  for (Tier tier : {Tier::int8, Tier::int15, Tier::f32}) {
    for (int64_t leaf : {80, 96}) {  // codes head by head, and in a command of their own
      const std::vector<float> expected = attention_output({}, tier, leaf, 1, 70);
      for (int threads : {1, 2, 3, 7}) {
        for (int64_t chunk : {1, 33}) {
          EXPECT_TRUE(test::same_bits(attention_output({}, tier, leaf, threads, chunk), expected))
              << name_of(tier) << " " << threads << " threads, chunks of " << chunk;
        }
      }
    }
  }
}

TEST(AttentionOp, FirstTokenSeesOnlyItself) {
  test::OpsFixture f(2);
  Cache cache(*f.device, {1, 1, 64, DType::f32}, 64, 64);
  const test::TestWeight out =
      test::random_weight(*f.device, kSeed, WeightFormat::f32, 8, 64, Tier::f32);
  const std::vector<float> qkv = test::random_floats(kSeed, 192);
  AttentionParams params{.heads = 1, .kv_heads = 1, .head_dim = 64};
  params.rope = &cache.rope;
  const SequenceSpan span{0, 1, 0, cache.pages.data()};
  const Activations a =
      attention(f.cx, f.tensor(qkv, {1, 192}), params, {&cache.layout, {&span, 1}}, 0, *out.packed);
  EXPECT_TRUE(test::same_bits(f.read(a.values), std::vector<float>(qkv.begin() + 128, qkv.end())));
}

TEST(AttentionOp, RefusesWhatDoesNotFit) {
  test::OpsFixture f(1);
  Cache cache(*f.device, {1, 1, 64, DType::f32}, 64, 64);
  const test::TestWeight out =
      test::random_weight(*f.device, kSeed, WeightFormat::f32, 8, 64, Tier::f32);
  AttentionParams params{.heads = 1, .kv_heads = 1, .head_dim = 64};
  params.rope = &cache.rope;
  const Tensor qkv = f.tensor(test::random_floats(kSeed, 192), {1, 192});
  const auto run = [&](SequenceSpan span, int64_t layer) {
    attention(f.cx, qkv, params, {&cache.layout, {&span, 1}}, layer, *out.packed);
  };
  EXPECT_THROW(run({0, 2, 0, cache.pages.data()}, 0), Error);   // two tokens, one row
  EXPECT_THROW(run({0, 1, 64, cache.pages.data()}, 0), Error);  // behind the table of angles
  EXPECT_THROW(run({0, 1, 0, cache.pages.data()}, 1), Error);   // no such layer
  params.heads = 2;
  EXPECT_THROW(run({0, 1, 0, cache.pages.data()}, 0), Error);
}

/// One dense decoder layer made of ops: what a decode step costs in meetings and memory.
class Layer {
 public:
  explicit Layer(int threads) : f(threads), cache(*f.device, {1, 2, 64, DType::bf16}, 256, 64) {
    const auto pack = [&](uint64_t seed, int64_t rows, int64_t k, int64_t leaf) {
      const KPlan plan(WeightFormat::q4_0, KCut{k, {0, k}, leaf});
      return test::random_weight(*f.device, seed,
                                 WeightSpec{"w", WeightFormat::q4_0, rows, plan, Tier::int8})
          .packed;
    };
    q = pack(1, 384, kD, kLeaf);
    k = pack(2, 128, kD, kLeaf);
    v = pack(3, 128, kD, kLeaf);
    o = pack(4, kD, 384, 64);
    gate = pack(5, kF, kD, kLeaf);
    up = pack(6, kF, kD, kLeaf);
    down = pack(7, kD, kF, leaf_size(kF, 32));
    norm.eps = kEps;
    params = {.heads = 6, .kv_heads = 2, .head_dim = 64, .group = 3, .scale = 0.125f};
    params.rope = &cache.rope;
  }

  /// A step of one token at `position`; x [1, D] in, x out.
  Tensor step(Tensor x, const SequenceSpan& span) {
    Ctx& cx = f.cx;
    const Activations a = norm_for(cx, x, norm, {q.get(), k.get(), v.get()});
    const Tensor qkv = matmul(cx, a, {{q.get(), {}}, {k.get(), {}}, {v.get(), {}}});
    const Activations heads = attention(cx, qkv, params, {&cache.layout, {&span, 1}}, 0, *o);
    x = sharded_to_all(cx, heads, {o.get(), {}}, std::move(x));
    const Activations b = norm_for(cx, x, norm, {gate.get(), up.get()});
    const Activations h = hidden_matmul(cx, b, {.gate = {gate.get()}, .up = {up.get()}}, *down);
    return sharded_to_all(cx, h, {down.get(), {}}, std::move(x));
  }

  static constexpr int64_t kD = 256, kF = 1024;
  test::OpsFixture f;
  Cache cache;
  AttentionParams params;
  WeightPtr q, k, v, o, gate, up, down;
  NormParams norm;
};

TEST(DecoderLayer, MeetsAtMostFiveTimesInDecode) {
  for (int threads : {2, 7}) {
    Layer layer(threads);
    const SequenceSpan span{0, 1, 0, layer.cache.pages.data()};
    const Tensor x = layer.f.tensor(test::random_floats(kSeed, Layer::kD), {1, Layer::kD});
    const int64_t before = layer.f.device->epoch();
    layer.step(x, span);
    EXPECT_LE(layer.f.device->epoch() - before, 5) << threads;
    layer.f.device->join();
  }
}

TEST(DecoderLayer, DecodesWithoutAllocatingAfterTheFirstToken) {
  Layer layer(2);
  int64_t blocks = 0;
  for (int64_t position = 0; position < 100; ++position) {
    const test::HeapMeter meter;
    const SequenceSpan span{0, 1, position, layer.cache.pages.data()};
    Tensor x = layer.f.workspace.tensor({1, Layer::kD});
    std::fill_n(x.f32(), Layer::kD, 0.5f);
    for (int repeat = 0; repeat < 4; ++repeat) x = layer.step(std::move(x), span);
    layer.f.device->join();
    if (position < 2) {
      blocks = layer.f.workspace.allocations();
      continue;
    }
    EXPECT_EQ(meter.allocations(), 0) << position;
    EXPECT_EQ(layer.f.workspace.allocations(), blocks) << position;
  }
}

TEST(DecoderLayer, ThreadsKeepTheBits) {
  std::vector<float> expected;
  for (int threads : {1, 2, 3, 7}) {
    Layer layer(threads);
    Tensor x = layer.f.tensor(test::random_floats(kSeed, Layer::kD), {1, Layer::kD});
    for (int64_t position = 0; position < 70; ++position) {
      const SequenceSpan span{0, 1, position, layer.cache.pages.data()};
      x = layer.step(std::move(x), span);
      layer.f.device->join();
    }
    const std::vector<float> actual = layer.f.read(x);
    if (threads == 1) expected = actual;
    EXPECT_TRUE(test::same_bits(actual, expected)) << threads;
  }
}

}  // namespace
}  // namespace colonnade
