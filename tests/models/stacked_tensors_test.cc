#include "colonnade/models/stacked_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using testing::ElementsAre;

constexpr NameRule kRules[] = {
    {"blk.#.attn_q", "blk.#.attn_qkv", Piece::q},
    {"blk.#.attn_k", "blk.#.attn_qkv", Piece::k},
    {"blk.#.attn_v", "blk.#.attn_qkv", Piece::v},
    {"blk.#.ffn_up.@", "blk.#.ffn_up_exps", Piece::expert},
    {"blk.#.ffn_norm", "blk.#.post_attention_norm"},
};

TensorEntry entry(const char* name, int64_t rows, int64_t cols) {
  return {.name = name, .rows = rows, .cols = cols, .file_name = name};
}

std::vector<std::string> names(const StackedTensor& tensor) {
  std::vector<std::string> all;
  for (const TensorEntry* part : tensor.parts) all.push_back(part->name);
  return all;
}

TEST(StackedTensors, PartsStandInTheOrderOfTheFileWhateverTheirOwn) {
  const std::vector<TensorEntry> entries = {
      entry("blk.3.attn_v.weight", 8, 16), entry("blk.3.attn_q.weight", 32, 16),
      entry("blk.3.attn_k.bias", 1, 8),    entry("blk.3.attn_k.weight", 8, 16),
      entry("blk.3.attn_q.bias", 1, 32),   entry("blk.3.attn_v.bias", 1, 8)};
  const std::vector<StackedTensor> tensors = stack_tensors(entries, kRules);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "blk.3.attn_qkv.weight");
  EXPECT_THAT(names(tensors[0]),
              ElementsAre("blk.3.attn_q.weight", "blk.3.attn_k.weight", "blk.3.attn_v.weight"));
  EXPECT_THAT(tensors[0].dims(), ElementsAre(16, 48));
  EXPECT_EQ(tensors[1].name, "blk.3.attn_qkv.bias");
  EXPECT_TRUE(tensors[1].is_vector());
  EXPECT_THAT(tensors[1].dims(), ElementsAre(48));
}

TEST(StackedTensors, ExpertsAreADimensionInTheOrderOfTheirNumbers) {
  std::vector<TensorEntry> entries;
  for (const char* name : {"blk.0.ffn_up.10", "blk.0.ffn_up.2", "blk.0.ffn_up.1"}) {
    entries.push_back(entry((std::string(name) + ".weight").c_str(), 24, 16));
    entries.push_back(entry((std::string(name) + ".bias").c_str(), 1, 24));
  }
  const std::vector<StackedTensor> tensors = stack_tensors(entries, kRules);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_THAT(names(tensors[0]), ElementsAre("blk.0.ffn_up.1.weight", "blk.0.ffn_up.2.weight",
                                             "blk.0.ffn_up.10.weight"));
  EXPECT_THAT(tensors[0].dims(), ElementsAre(16, 24, 3));
  EXPECT_EQ(tensors[1].name, "blk.0.ffn_up_exps.bias");
  EXPECT_THAT(tensors[1].dims(), ElementsAre(24, 3));
}

TEST(StackedTensors, OtherTensorsKeepTheirShapeUnderTheFilesName) {
  const std::vector<TensorEntry> entries = {entry("token_embd.weight", 300, 16),
                                            entry("blk.1.ffn_norm.weight", 1, 16)};
  const std::vector<StackedTensor> tensors = stack_tensors(entries, kRules);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "token_embd.weight");
  EXPECT_THAT(tensors[0].dims(), ElementsAre(16, 300));
  EXPECT_EQ(tensors[1].name, "blk.1.post_attention_norm.weight");
  EXPECT_THAT(tensors[1].dims(), ElementsAre(16));
}

TEST(StackedTensors, PartsThatDoNotFitAreNamed) {
  const std::vector<TensorEntry> entries = {entry("blk.0.attn_q.weight", 32, 16),
                                            entry("blk.0.attn_k.weight", 8, 12)};
  try {
    stack_tensors(entries, kRules);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("tensor 'blk.0.attn_k.weight': expected a shape"));
    EXPECT_THAT(error.what(), testing::HasSubstr("in 'blk.0.attn_qkv.weight'"));
  }
}

}  // namespace
}  // namespace colonnade
