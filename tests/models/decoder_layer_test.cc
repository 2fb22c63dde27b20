#include "colonnade/models/decoder_layer.h"

#include "tests/nn/nn_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/random.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/ops/elementwise.h"

namespace colonnade {
namespace {

constexpr int64_t kTokens = 3, kDim = 32;

DecoderConfig config() {
  DecoderConfig c;
  c.layers = 1;
  c.dim = kDim;
  c.ffn_dim = 64;
  c.heads = 2;
  c.kv_heads = 1;
  c.head_dim = 16;
  c.rotary_dim = 16;
  c.kinds.resize(1);
  return c;
}

std::vector<std::string> declared(const DecoderConfig& c) {
  const test::MemorySource none;
  ParamSet params(none, {});
  const RopeTable rope;
  const DecoderLayer layer(params, c, 0, {&rope});
  std::vector<std::string> names;
  for (const MatrixParam& param : params.matrices()) names.push_back(param.name);
  for (const VectorParam& param : params.vectors()) names.push_back(param.name);
  return names;
}

TEST(DecoderLayer, DeclaresTheNormsOfItsPlaces) {
  DecoderConfig c = config();
  EXPECT_THAT(declared(c), testing::Contains("blk.0.attn_norm.weight"));
  EXPECT_THAT(declared(c), testing::Not(testing::Contains("blk.0.post_ffw_norm.weight")));
  c.norms_of_outputs = true;
  EXPECT_THAT(declared(c), testing::IsSupersetOf({"blk.0.attn_norm.weight", "blk.0.ffn_norm.weight",
                                                  "blk.0.post_attention_norm.weight",
                                                  "blk.0.post_ffw_norm.weight"}));
}

TEST(DecoderLayer, HasExpertsInPlaceOfAnMlpWhereItsKindSaysSo) {
  DecoderConfig c = config();
  c.experts = 2;
  c.experts_per_token = 1;
  c.expert_ffn_dim = 64;
  EXPECT_THAT(declared(c), testing::Contains("blk.0.ffn_up.weight"));
  c.kinds[0].experts = true;
  EXPECT_THAT(declared(c),
              testing::IsSupersetOf(
                  {"blk.0.ffn_gate_inp.weight", "blk.0.ffn_up.0.weight", "blk.0.ffn_up.1.weight"}));
  EXPECT_THAT(declared(c), testing::Not(testing::Contains("blk.0.ffn_up.weight")));
}

/// BlockNorms around a block that gives its input's norm doubled, plus what it is handed.
std::vector<float> around(const DecoderConfig& c) {
  test::MemorySource source;
  source.add("n.weight", 1, kDim, test::random_floats(1, kDim));
  source.add("o.weight", 1, kDim, test::random_floats(2, kDim));
  SoloGroup group;
  test::Rank r(source, {}, group);
  const BlockNorms norms(r.params, c, "", "n", "o");
  test::load(r.params, *r.device);
  const Tensor x = r.tensor(test::random_floats(3, kTokens * kDim), {kTokens, kDim});
  const Tensor read = norms.input(r.cx, x);
  return r.read(norms.around(r.cx, x, [&](const Tensor& residual) {
    return residual ? scale_add(r.cx, read, 2, residual) : scale_add(r.cx, read, 2);
  }));
}

TEST(BlockNorms, StandBeforeOnTheOutputOrAfter) {
  test::MemorySource source;
  SoloGroup group;
  test::Rank r(source, {}, group);
  const auto vector = [&](uint64_t seed) {
    return r.tensor(test::random_floats(seed, kDim), {kDim});
  };
  const Tensor x = r.tensor(test::random_floats(3, kTokens * kDim), {kTokens, kDim});
  DecoderConfig c = config();
  const NormParams n{.weight = vector(1), .eps = c.norm_eps};
  const NormParams o{.weight = vector(2), .eps = c.norm_eps};
  const Tensor before = scale_add(r.cx, norm(r.cx, x, n), 2, x);
  EXPECT_TRUE(test::same_bits(around(c), r.read(before)));
  c.norms_of_outputs = true;
  const Tensor output = norm(r.cx, scale_add(r.cx, norm(r.cx, x, n), 2), o, x);
  EXPECT_TRUE(test::same_bits(around(c), r.read(output)));
  c.norms_of_outputs = c.norms_before = false;
  c.norms_after = true;
  const Tensor after = norm(r.cx, scale_add(r.cx, x, 2, x), n);
  EXPECT_TRUE(test::same_bits(around(c), r.read(after)));
}

}  // namespace
}  // namespace colonnade
