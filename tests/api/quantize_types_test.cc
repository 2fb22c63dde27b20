#include "colonnade/api/quantize_types.h"

#include <gtest/gtest.h>

namespace colonnade {
namespace {

ExportTensor tensor(const char* name, std::vector<int64_t> dims, GgmlType type = GgmlType::bf16) {
  return {name, std::move(dims), name_of(type), type, 0};
}

TensorType choice(const ExportTensor& one, const QuantizeTypes& asked = {GgmlType::q4_0}) {
  return choose_types({one}, asked).front();
}

TEST(QuantizeTypes, MatricesGetTheTypeThatWasAskedFor) {
  for (const char* name : {"blk.0.attn_q.weight", "token_embd.weight", "output.weight"}) {
    EXPECT_EQ(choice(tensor(name, {64, 8})).type, GgmlType::q4_0) << name;
    EXPECT_TRUE(choice(tensor(name, {64, 8})).why.empty()) << name;
  }
  EXPECT_EQ(choice(tensor("blk.0.ffn_gate_exps.weight", {64, 8, 4})).type, GgmlType::q4_0);
}

TEST(QuantizeTypes, WhatIsSmallAndDecidesMuchStaysF32) {
  const ExportTensor small[] = {
      tensor("output_norm.weight", {64}),          tensor("blk.0.attn_q.bias", {64}),
      tensor("blk.0.attn_q_norm.weight", {64, 2}), tensor("blk.0.ffn_gate_inp.weight", {64, 8}),
      tensor("position_embd.weight", {64, 128}),   tensor("blk.0.one.weight", {64, 1})};
  for (const ExportTensor& one : small) {
    EXPECT_EQ(choice(one).type, GgmlType::f32) << one.name;
    EXPECT_FALSE(choice(one).why.empty()) << one.name;
  }
}

TEST(QuantizeTypes, RowsThatAreNoWholeBlocksStayAsTheyAreAndItIsSaid) {
  for (const GgmlType type : {GgmlType::f32, GgmlType::f16, GgmlType::bf16}) {
    const TensorType chosen = choice(tensor("blk.0.ffn_up.weight", {80, 8}, type));
    EXPECT_EQ(chosen.type, type);
    EXPECT_EQ(chosen.why, "rows of 80 are no multiple of 32 elements");
  }
  EXPECT_EQ(choice(tensor("blk.0.ffn_up.weight", {80, 8}), {GgmlType::f16}).type, GgmlType::f16);
}

TEST(QuantizeTypes, HeadAndEmbeddingMayHaveTypesOfTheirOwn) {
  const ExportTensor embedding = tensor("token_embd.weight", {64, 8});
  const ExportTensor head = tensor("output.weight", {64, 8});
  const QuantizeTypes asked{GgmlType::q4_0, GgmlType::q8_0, GgmlType::f16};
  const auto both = choose_types({embedding, head}, asked);
  EXPECT_EQ(both[0].type, GgmlType::f16);
  EXPECT_EQ(both[1].type, GgmlType::q8_0);
  EXPECT_EQ(choice(embedding, {GgmlType::q4_0, GgmlType::q8_0, {}}).type, GgmlType::q8_0);
  const auto untied = choose_types({embedding, head}, {GgmlType::q4_0, GgmlType::q8_0, {}});
  EXPECT_EQ(untied[0].type, GgmlType::q4_0);
}

TEST(QuantizeTypes, FileTypesAreThoseOfTheNumbersThatPeopleKnow) {
  EXPECT_EQ(file_type_of(GgmlType::f32), 0u);
  EXPECT_EQ(file_type_of(GgmlType::f16), 1u);
  EXPECT_EQ(file_type_of(GgmlType::q4_0), 2u);
  EXPECT_EQ(file_type_of(GgmlType::q4_1), 3u);
  EXPECT_EQ(file_type_of(GgmlType::q8_0), 7u);
  EXPECT_EQ(file_type_of(GgmlType::bf16), 32u);
}

}  // namespace
}  // namespace colonnade
