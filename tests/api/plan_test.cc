#include "colonnade/api/plan.h"

#include <algorithm>
#include <string>

#include "tests/support/loaded_model.h"
#include "tests/support/shape_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/api/model_files.h"
#include "colonnade/api/session.h"
#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using test::ModelShape;
using test::ShapeSource;
using testing::HasSubstr;

constexpr ModelShape kSmol{"SmolLM2 135M", 30, 576, 9, 3, 64, 1536, 49152, true};

ModelPlan plan_of(const ModelShape& shape, const PlanRequest& request,
                  WeightFormat format = WeightFormat::q8_0) {
  return plan_model(ShapeSource(shape, format), test::config_of(shape), request);
}

std::string refusal(const PlanRequest& request) {
  try {
    check_request(ShapeSource(kSmol, WeightFormat::q8_0), test::config_of(kSmol), request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A file of `shape`, opened but not loaded.
struct Opened {
  explicit Opened(const test::TinyShape& shape)
      : file(folder.write("tiny.gguf", test::tiny_model(shape))),
        source(file),
        config(read_config(file.metadata(), source)) {}

  test::TemporaryFolder folder;
  GgufFile file;
  GgufSource source;
  DecoderConfig config;
};

/// What loading `rank`'s share takes, beside what the plan says about it.
void compare_with_loaded(const Opened& model, const ModelPlan& plan, Cut cut) {
  ParamSet params(model.source, cut);
  const Decoder decoder(params, model.config);
  const std::unique_ptr<Device> device = make_device({.threads = 1});
  load_params(params, *device, Tier::int8, {});
  int64_t bytes = 0, read = 0, products = 0;
  for (const MatrixParam& param : params.matrices()) {
    const Weight& weight = **param.slot;
    bytes += weight.bytes();
    if (param.name == "token_embd.weight" && !decoder.tied()) continue;
    read += weight.bytes();
    products += weight.rows() * weight.k();
  }
  for (const VectorParam& param : params.vectors()) bytes += param.slot->elements() * 4;
  const RankPlan& rank = plan.ranks[static_cast<size_t>(cut.rank)];
  EXPECT_EQ(rank.memory.weight_bytes, bytes);
  EXPECT_EQ(rank.bytes_per_token, read);
  EXPECT_EQ(rank.multiply_adds, products);
  EXPECT_EQ(rank.heads, decoder.heads().heads);
  EXPECT_EQ(rank.kv_heads, decoder.heads().kv_heads);
}

TEST(Plan, BytesAndProductsOfEveryRankAreThoseThatLoadingMakes) {
  for (const uint32_t type : {0u, 1u, 30u, 2u, 3u, 6u, 7u, 8u, 12u, 13u, 14u}) {
    test::TinyShape shape{.layers = 1, .dim = 512, .ffn_dim = 1024, .head_dim = 64};
    shape.heads = 8;
    shape.kv_heads = 4;
    shape.types = {.embedding = type, .attention = type, .value = type, .up = type, .down = type};
    if (type == 14) shape.types.head = 8;  // not tied
    const Opened model(shape);
    for (const int ranks : {1, 2, 3}) {
      const ModelPlan plan = plan_model(model.source, model.config, {.ranks = ranks});
      for (int r = 0; r < ranks; ++r) {
        SCOPED_TRACE(concat("type ", type, ", rank ", r, " of ", ranks));
        compare_with_loaded(model, plan, {r, ranks, {}});
      }
    }
  }
}

TEST(Plan, SharesAndRanksWithoutHeadsAreCountedAsTheyAreLoaded) {
  const Opened model({.architecture = "qwen2", .layers = 1});
  const std::vector<double> shares = {5, 1, 2};
  const ModelPlan uneven = plan_model(model.source, model.config, {3, shares});
  for (int r = 0; r < 3; ++r) compare_with_loaded(model, uneven, {r, 3, shares});
  const ModelPlan many = plan_model(model.source, model.config, {.ranks = 12});
  EXPECT_TRUE(many.ranks[11].heads.empty());
  EXPECT_EQ(many.ranks[11].memory.cache_bytes, 0);
  for (const int r : {0, 9, 11}) compare_with_loaded(model, many, {r, 12, {}});
}

TEST(Plan, SmolLM2OnTwoRanksIsCutAsTheDesignSays) {
  const ModelPlan plan = plan_of(kSmol, {.ranks = 2});
  EXPECT_EQ(plan.ranks[0].heads, (Range{0, 5}));
  EXPECT_EQ(plan.ranks[0].kv_heads, (Range{0, 2}));
  EXPECT_EQ(plan.ranks[1].heads, (Range{5, 9}));
  EXPECT_EQ(plan.ranks[1].kv_heads, (Range{1, 3}));
  ASSERT_EQ(plan.layers.size(), 1u);
  EXPECT_EQ(plan.layers[0].layers.size(), 30u);
  for (const char* name : {"ffn_gate", "ffn_up", "ffn_down"}) {
    const MatrixCut& cut = plan.layers[0].matrix(name);
    EXPECT_EQ(cut.unit, 32) << name;
    EXPECT_EQ(cut.parts, (std::vector<Range>{{0, 768}, {768, 1536}})) << name;
  }
  EXPECT_EQ(plan.layers[0].matrix("attn_q").side, CutSide::rows);
  EXPECT_EQ(plan.layers[0].matrix("attn_q").unit, 64);
  EXPECT_EQ(plan.layers[0].matrix("attn_k").parts, (std::vector<Range>{{0, 128}, {64, 192}}));
  EXPECT_EQ(plan.layers[0].matrix("attn_output").side, CutSide::cols);
  ASSERT_EQ(plan.ends.size(), 1u);
  EXPECT_EQ(plan.ends[0].unit, 256);
  EXPECT_EQ(plan.useful.ranks, 192);
}

TEST(Plan, LayersWhoseFormatsHaveOtherLeavesAreCutApart) {
  ModelShape shape{"mixed", 3, 288, 9, 3, 32, 544, 600, true};
  ShapeSource source(shape, WeightFormat::q8_0);
  source.set_format("blk.1.ffn_down.weight", WeightFormat::bf16);
  const ModelPlan plan = plan_model(source, test::config_of(shape), {.ranks = 2});
  ASSERT_EQ(plan.layers.size(), 2u);
  EXPECT_EQ(plan.layers[0].layers, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(plan.layers[1].layers, (std::vector<int64_t>{1}));
  EXPECT_EQ(plan.layers[0].matrix("ffn_gate").unit, 32);
  EXPECT_EQ(plan.layers[1].matrix("ffn_gate").unit, 16);
}

TEST(Plan, ALayerCostsTwoSumsAndATokenThreeExchangesMore) {
  const ModelPlan plan = plan_of(kSmol, {.ranks = 4});
  ASSERT_EQ(plan.exchanges.size(), 4u);
  EXPECT_EQ(plan.exchanges_per_token(), 1 + 1 + 2 * 30 + 1);
  EXPECT_EQ(plan.exchanges[1].bytes, 576 * 4);
  EXPECT_EQ(plan.exchanges[2].per_token, 60);
  EXPECT_EQ(plan.exchanges[2].bytes, 576 * 8 + 8);
  EXPECT_GE(plan.exchanges[3].bytes, 48 * (4 + 8) + 64 * 8);  // blocks and candidates
  EXPECT_LE(plan.exchanges[3].bytes, 48 * (4 + 8) + 64 * 8 + 128);
  EXPECT_EQ(plan_of(kSmol, {.ranks = 1}).exchanges_per_token(), 0);
}

TEST(Plan, RanksExchangeAsOftenAndAboutAsMuchAsItSays) {
  const test::TemporaryFolder folder;
  SessionOptions options;
  options.model = folder.write("tiny.gguf", test::tiny_model({.layers = 3}));
  options.ranks = 3;
  options.threads = 1;
  Session session(options);
  GenerationRequest request;
  request.prompt = {1, 2, 3};
  request.sampling.top_k = static_cast<int32_t>(kFirstCandidates);
  request.stop.max_tokens = 4;
  request.ignore_stop_tokens = true;
  std::vector<GroupStats> seen;
  session.generator().generate(request, [&](const TokenEvent&) {
    seen.push_back(session.group_stats());
    return true;
  });
  ASSERT_EQ(seen.size(), 4u);
  const Opened model({.layers = 3});
  const ModelPlan plan = plan_model(model.source, model.config, {.ranks = 3});
  EXPECT_EQ(seen[3].exchanges - seen[2].exchanges, plan.exchanges_per_token());
  const auto bytes = static_cast<double>(seen[3].bytes - seen[2].bytes);
  const auto planned = static_cast<double>(plan.exchanged_bytes_per_token());
  EXPECT_LE(bytes, planned + 2 * 8);  // headers of the step and of the summaries
  EXPECT_GE(bytes, 0.9 * planned);
}

TEST(Plan, TheCacheFollowsTheKvHeadsContextAndType) {
  const ModelPlan plan = plan_of(kSmol, {.ranks = 2, .context = 128, .cache = DType::f32});
  EXPECT_EQ(plan.ranks[0].cache_bytes_per_position, 30 * 2 * 64 * 4 * 2);
  EXPECT_EQ(plan.ranks[0].memory.cache_bytes, 128 * plan.ranks[0].cache_bytes_per_position);
  EXPECT_EQ(plan_of(kSmol, {.precision = Tier::int15}).cache, DType::f32);
  EXPECT_EQ(plan_of(kSmol, {}).cache, DType::bf16);
}

TEST(Plan, OneRankOfAPlanIsTheSameAloneAsAmongTheOthers) {
  const ShapeSource source(kSmol, WeightFormat::q4_1);
  const PlanRequest request{.ranks = 4, .shares = {4, 1, 2, 3}};
  const ModelPlan plan = plan_model(source, test::config_of(kSmol), request);
  for (int r = 0; r < 4; ++r) {
    const RankPlan alone = plan_rank(source, test::config_of(kSmol), request, r);
    EXPECT_EQ(alone.memory.total(), plan.ranks[static_cast<size_t>(r)].memory.total());
    EXPECT_EQ(alone.vocabulary, plan.ranks[static_cast<size_t>(r)].vocabulary);
  }
}

TEST(Plan, WhatTheModelCannotGiveIsRefusedByName) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.ranks = 192}), "");
  EXPECT_THAT(refusal({.ranks = 193}), HasSubstr("ranks: expected at most 192"));
  EXPECT_THAT(refusal({.ranks = 1 << 30}), HasSubstr("token_embd.weight, 49152 in units of 256"));
  EXPECT_THAT(refusal({.ranks = 0}), HasSubstr("ranks: expected at least 1"));
  EXPECT_THAT(refusal({.ranks = 2, .shares = {1}}), HasSubstr("shares"));
  EXPECT_THAT(refusal({.context = 131073}), HasSubstr("context: expected at most 131072"));
  EXPECT_THAT(refusal({.chunk = 0}), HasSubstr("chunk"));
}

TEST(PlanModel, ExpertsAreShownOnceReadAsRoutedAndSummedTogether) {
  const ModelFiles model(std::string(COLONNADE_TEST_DATA) + "/families/qwen3_moe");
  const ModelPlan plan = plan_model(model.source(), model.config(), {.ranks = 2});
  ASSERT_EQ(plan.layers.size(), 1U);
  std::vector<std::string> names;
  for (const MatrixCut& matrix : plan.layers[0].matrices) names.push_back(matrix.name);
  EXPECT_EQ(std::count(names.begin(), names.end(), "ffn_down"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "ffn_gate_inp"), 1);
  const auto sums = std::find_if(plan.exchanges.begin(), plan.exchanges.end(),
                                 [](const auto& e) { return e.what == "sums of layers"; });
  ASSERT_NE(sums, plan.exchanges.end());
  EXPECT_EQ(sums->per_token, 2 * model.config().layers);
  // Two of eight experts are read.
  EXPECT_LT(plan.ranks[0].bytes_per_token, plan.ranks[0].memory.weight_bytes / 2);
}

}  // namespace
}  // namespace colonnade
