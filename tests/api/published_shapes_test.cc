// The shapes that people run, on every number of ranks up to eight, in every kind of format: none
// is refused, and every rank has its part.
#include <string>

#include "tests/support/shape_model.h"
#include <gtest/gtest.h>

#include "colonnade/api/plan.h"
#include "colonnade/models/decoder.h"
#include "colonnade/tensor/grouped_format.h"
#include "colonnade/tensor/k_plan.h"

namespace colonnade {
namespace {

using test::ModelShape;

/// Sources: the config.json that was published with each model.
constexpr ModelShape kPublished[] = {
    {"Llama 2 7B", 32, 4096, 32, 32, 128, 11008, 32000, false},
    {"Llama 2 13B", 40, 5120, 40, 40, 128, 13824, 32000, false},
    {"Llama 1 30B", 60, 6656, 52, 52, 128, 17920, 32000, false},
    {"Llama 2 70B", 80, 8192, 64, 8, 128, 28672, 32000, false},
    {"Llama 3 8B", 32, 4096, 32, 8, 128, 14336, 128256, false},
    {"Llama 3 70B", 80, 8192, 64, 8, 128, 28672, 128256, false},
    {"Llama 3 405B", 126, 16384, 128, 8, 128, 53248, 128256, false},
    {"Llama 3.2 1B", 16, 2048, 32, 8, 64, 8192, 128256, true},
    {"Llama 3.2 3B", 28, 3072, 24, 8, 128, 8192, 128256, true},
    {"Qwen2.5 0.5B", 24, 896, 14, 2, 64, 4864, 151936, true},
    {"Qwen2.5 1.5B", 28, 1536, 12, 2, 128, 8960, 151936, true},
    {"Qwen2.5 3B", 36, 2048, 16, 2, 128, 11008, 151936, true},
    {"Qwen2.5 7B", 28, 3584, 28, 4, 128, 18944, 152064, false},
    {"Qwen2.5 14B", 48, 5120, 40, 8, 128, 13824, 152064, false},
    {"Qwen2.5 32B", 64, 5120, 40, 8, 128, 27648, 152064, false},
    {"Qwen2.5 72B", 80, 8192, 64, 8, 128, 29568, 152064, false},
    {"Mistral 7B", 32, 4096, 32, 8, 128, 14336, 32000, false},
    {"SmolLM2 135M", 30, 576, 9, 3, 64, 1536, 49152, true},
    {"SmolLM2 360M", 32, 960, 15, 5, 64, 2560, 49152, true},
    {"SmolLM2 1.7B", 24, 2048, 32, 32, 64, 8192, 49152, true},
    {"OPT 125M", 12, 768, 12, 12, 64, 3072, 50272, true},
    {"OPT 30B", 48, 7168, 56, 56, 128, 28672, 50272, true},
    {"OPT 175B", 96, 12288, 96, 96, 128, 49152, 50272, true},
    {"GPT-2", 12, 768, 12, 12, 64, 3072, 50257, true},
    {"GPT-2 XL", 48, 1600, 25, 25, 64, 6400, 50257, true},
    {"Phi-3 mini", 32, 3072, 32, 32, 96, 8192, 32064, false},
    {"Gemma 2B", 18, 2048, 8, 1, 256, 16384, 256000, true},
};

/// In order, without gaps or overlap, at multiples of the unit, within a unit of one another.
void check_parts(const MatrixCut& cut) {
  int64_t next = 0, least = cut.rows + cut.cols, most = 0;
  const int64_t total = cut.side == CutSide::cols ? cut.cols : cut.rows;
  for (const Range part : cut.parts) {
    EXPECT_EQ(part.begin, next) << cut.name;
    EXPECT_TRUE(part.end % cut.unit == 0 || part.end == total) << cut.name;
    least = std::min(least, part.size());
    most = std::max(most, part.size());
    next = part.end;
  }
  EXPECT_EQ(next, total) << cut.name;
  EXPECT_LE(most - least, cut.unit) << cut.name;
}

/// Every rank holds the KV heads that its query heads use, and no others.
void check_kv_heads(const ModelShape& shape, const ModelPlan& plan) {
  const int64_t group = shape.heads / shape.kv_heads;
  for (size_t r = 0; r < plan.ranks.size(); ++r) {
    const RankPlan& rank = plan.ranks[r];
    EXPECT_EQ(rank.heads.empty(), rank.kv_heads.empty());
    for (int64_t head = 0; head < shape.heads; ++head) {
      EXPECT_TRUE(!rank.heads.contains(head) || rank.kv_heads.contains(head / group));
    }
    if (!rank.heads.empty()) {
      EXPECT_EQ(rank.kv_heads.begin, rank.heads.begin / group);
      EXPECT_EQ(rank.kv_heads.end - 1, (rank.heads.end - 1) / group);
    }
    for (const char* name : {"attn_k", "attn_v"}) {
      const Range rows = plan.layers[0].matrix(name).parts[r];
      EXPECT_EQ(rows.begin, rank.kv_heads.begin * shape.head_dim) << name;
      EXPECT_EQ(rows.end, rank.kv_heads.end * shape.head_dim) << name;
    }
  }
}

void check_plan(const ModelShape& shape, WeightFormat format, int ranks) {
  const ModelPlan plan = plan_model(test::ShapeSource(shape, format), test::config_of(shape),
                                    {.ranks = ranks, .context = 1024});
  ASSERT_EQ(plan.layers.size(), 1u);
  const LayerCut& layer = plan.layers[0];
  for (const char* name : {"attn_q", "attn_output", "ffn_gate", "ffn_up", "ffn_down"})
    check_parts(layer.matrix(name));
  for (const MatrixCut& end : plan.ends) check_parts(end);
  check_kv_heads(shape, plan);
  EXPECT_EQ(layer.matrix("attn_output").parts, layer.matrix("attn_q").parts);
  EXPECT_EQ(layer.matrix("ffn_down").parts, layer.matrix("ffn_gate").parts);
  EXPECT_EQ(layer.matrix("ffn_down").parts, layer.matrix("ffn_up").parts);
  EXPECT_EQ(layer.matrix("ffn_down").unit, leaf_size(shape.ffn_dim, is_grouped(format) ? 32 : 1));
  EXPECT_GE(plan.useful.ranks, 32);
}

/// A row of the format can be as long as `cols`: whole groups or super-blocks.
bool holds(WeightFormat format, int64_t cols) {
  return cols % std::max<int64_t>(super_block(format), is_grouped(format) ? 32 : 1) == 0;
}

TEST(PublishedShapes, AreCutForTwoToEightRanksInEveryKindOfFormat) {
  int planned = 0;
  for (ModelShape shape : kPublished) {
    shape.layers = 1;  // all are alike
    for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::q8_0, WeightFormat::q4_k}) {
      if (!holds(format, shape.dim) || !holds(format, shape.ffn_dim)) continue;
      for (int ranks = 2; ranks <= 8; ++ranks) {
        SCOPED_TRACE(concat(shape.name, " ", name_of(format), " on ", ranks, " ranks"));
        check_plan(shape, format, ranks);
        ++planned;
      }
    }
  }
  EXPECT_GT(planned, static_cast<int>(std::size(kPublished)) * 2 * 7);  // most hold super-blocks
}

/// Groups of 64 and 128 (affine formats) are cut like those of 32 and super-blocks of 256: at
/// leaves, which are whole activation groups of 32, and both sides keep the scale.
TEST(PublishedShapes, EveryRanksSliceOfDownIsWholeLeavesForAnySizeOfGroup) {
  for (const ModelShape& shape : kPublished) {
    const int64_t leaf = leaf_size(shape.ffn_dim, 32);
    for (int ranks = 2; ranks <= 8; ++ranks) {
      SCOPED_TRACE(concat(shape.name, " on ", ranks, " ranks"));
      const Partition parts(shape.ffn_dim, leaf, ranks);
      for (int r = 0; r < ranks; ++r) {
        const Range slice = parts.of(r);
        ASSERT_FALSE(slice.empty());
        EXPECT_EQ(slice.begin % 32, 0);
        for (const WeightFormat format : {WeightFormat::q8_0, WeightFormat::q4_k}) {
          if (!holds(format, shape.ffn_dim)) continue;
          const KPlan plan(format, KCut{shape.ffn_dim, slice, leaf});
          EXPECT_EQ(plan.runs().back().k_begin + plan.runs().back().length, slice.size());
          EXPECT_EQ(static_cast<int64_t>(plan.leaf_ends().size()),
                    (slice.size() + leaf - 1) / leaf);
        }
      }
    }
  }
}

TEST(PublishedShapes, UnevenSharesAreAdmittedToo) {
  const std::vector<double> shares = {3, 1, 2};
  for (ModelShape shape : kPublished) {
    shape.layers = 1;
    SCOPED_TRACE(shape.name);
    const ModelPlan plan =
        plan_model(test::ShapeSource(shape, WeightFormat::q8_0), test::config_of(shape),
                   {.ranks = 3, .shares = shares, .context = 1024});
    const MatrixCut& down = plan.layers[0].matrix("ffn_down");
    for (size_t r = 0; r < 3; ++r) {
      const double ideal = static_cast<double>(shape.ffn_dim) * shares[r] / 6;
      EXPECT_NEAR(static_cast<double>(down.parts[r].size()), ideal,
                  static_cast<double>(down.unit) * (1 + 1e-9));
    }
    check_kv_heads(shape, plan);
  }
}

}  // namespace
}  // namespace colonnade
