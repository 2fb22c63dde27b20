#include "colonnade/nn/param.h"

#include "tests/nn/nn_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

/// A source that knows one tensor of a format.
class OneTensor final : public TensorSource {
 public:
  explicit OneTensor(WeightFormat format) : entries_{{"blk.0.ffn_down.weight", format, 1, 1, 0}} {}
  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override {
    return name == entries_[0].name ? &entries_[0] : nullptr;
  }
  RowSource rows(const TensorEntry&, const MatrixSlice&) const override { return {}; }
  std::vector<float> values(const TensorEntry&) const override { return {}; }

 private:
  std::vector<TensorEntry> entries_;
};

TEST(ParamSet, TheLeafOfAPairFollowsFromItsKAndTheKindOfItsFormat) {
  const OneTensor grouped(WeightFormat::q4_1), dense(WeightFormat::bf16);
  const std::string name = "blk.0.ffn_down.weight";
  EXPECT_EQ(ParamSet(grouped, {}).sharded_leaf(name, 1536), 32);
  EXPECT_EQ(ParamSet(grouped, {}).sharded_leaf(name, 4864), 128);
  EXPECT_EQ(ParamSet(dense, {}).sharded_leaf(name, 256), 8);
}

TEST(ParamSet, ATensorThatIsNotThereHasALeafAllTheSame) {
  const OneTensor source(
      WeightFormat::q4_1);  // what is missing is the loader's to say, all at once
  EXPECT_EQ(ParamSet(source, {}).sharded_leaf("blk.7.ffn_down.weight", 256), 8);
}

TEST(ParamSet, AnOptionalVectorIsDeclaredOnlyIfTheFilesHaveIt) {
  test::MemorySource source;
  source.add("a.bias", 1, 4, {1, 2, 3, 4});
  ParamSet params(source, {});
  Tensor slot;
  params.add(VectorParam{.name = "a.bias", .size = 4, .range = {0, 4}, .slot = &slot},
             Presence::optional);
  params.add(VectorParam{.name = "b.bias", .size = 4, .range = {0, 4}, .slot = &slot},
             Presence::optional);
  ASSERT_EQ(params.vectors().size(), 1u);
  EXPECT_EQ(params.vectors()[0].name, "a.bias");
}

TEST(Cut, RanksOfUnevenSharesCoverEverythingInOrder) {
  int64_t next = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const Range part = Cut{rank, 3, {1, 2, 1}}.part(96, 8);
    EXPECT_EQ(part.begin, next);
    EXPECT_EQ(part.begin % 8, 0);
    next = part.end;
  }
  EXPECT_EQ(next, 96);
}

}  // namespace
}  // namespace colonnade
