#include "colonnade/api/useful_ranks.h"

#include <string>

#include "tests/support/shape_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/models/decoder.h"

namespace colonnade {
namespace {

using test::ModelShape;
using test::ShapeSource;
using testing::HasSubstr;

// 9 heads, 48 leaves of 32, 4 blocks of the vocabulary.
constexpr ModelShape kSmall{"small", 1, 288, 9, 3, 32, 1536, 1000, true};

struct Declared {
  Declared(const ModelShape& shape, const Cut& cut, WeightFormat format = WeightFormat::q8_0)
      : source(shape, format), params(source, cut), decoder(params, config_of(shape)) {}

  ShapeSource source;
  ParamSet params;
  Decoder decoder;
};

std::string refusal(const ModelShape& shape, const Cut& cut) {
  const Declared model(shape, {});
  try {
    check_useful_ranks(model.params, cut);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(UsefulRanks, TheFinestPartitionDecides) {
  const Declared model(kSmall, Cut{1, 4, {}});
  const UsefulRanks most = largest_useful_ranks(model.params);
  EXPECT_EQ(most.ranks, 48);
  EXPECT_EQ(most.parameter, "blk.0.ffn_down.weight");
  EXPECT_EQ(most.total, 1536);
  EXPECT_EQ(most.unit, 32);
}

TEST(UsefulRanks, HeadsAndVocabularyDecideWhereTheyAreFiner) {
  const Declared heads({"heads", 1, 64, 40, 40, 16, 64, 300, true}, {});
  EXPECT_EQ(largest_useful_ranks(heads.params).ranks, 40);
  EXPECT_EQ(largest_useful_ranks(heads.params).parameter, "blk.0.attn_output.weight");
  const Declared vocabulary({"vocabulary", 1, 64, 4, 4, 16, 64, 256 * 77 + 1, false}, {});
  EXPECT_EQ(largest_useful_ranks(vocabulary.params).ranks, 78);
  EXPECT_EQ(largest_useful_ranks(vocabulary.params).total, 256 * 77 + 1);
}

TEST(UsefulRanks, TheLastUsefulRankHoldsSomethingAndTheNextOneNothing) {
  for (const int ranks : {48, 49}) {
    const Declared model(kSmall, Cut{ranks - 1, ranks, {}});
    bool any = false;
    for (const MatrixParam& param : model.params.matrices())
      any = any || (!param.row_range.empty() && !param.col_range.empty());
    EXPECT_EQ(any, ranks == 48) << ranks;
  }
}

TEST(UsefulRanks, MoreRanksThanHeadsAreLegalUpToTheLastUsefulOne) {
  for (const int ranks : {1, 9, 10, 47, 48}) EXPECT_EQ(refusal(kSmall, {0, ranks, {}}), "");
}

TEST(UsefulRanks, OneMoreIsRefusedWithParameterTotalUnitAndLimit) {
  const std::string message = refusal(kSmall, {0, 49, {}});
  EXPECT_THAT(message, HasSubstr("expected at most 48 for this model, got 49"));
  EXPECT_THAT(message, HasSubstr("blk.0.ffn_down.weight, 1536 in units of 32"));
}

TEST(UsefulRanks, AShareTooSmallForAnyLayerIsRefusedByRank) {
  EXPECT_EQ(refusal(kSmall, {0, 2, {40, 1}}), "");
  EXPECT_THAT(refusal(kSmall, {0, 2, {1000, 1}}), HasSubstr("shares: rank 1: expected a share"));
  EXPECT_THAT(refusal(kSmall, {1, 3, {1, 0.001, 1}}), HasSubstr("rank 1"));
}

}  // namespace
}  // namespace colonnade
