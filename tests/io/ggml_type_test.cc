#include "colonnade/io/ggml_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(GgmlType, KnowsTheBlocksThatTheFormatDefines) {
  const struct {
    GgmlType type;
    const char* name;
    int elements;
    int bytes;
  } cases[] = {
      {GgmlType::f32, "F32", 1, 4},         {GgmlType::f16, "F16", 1, 2},
      {GgmlType::bf16, "BF16", 1, 2},       {GgmlType::q4_0, "Q4_0", 32, 18},
      {GgmlType::q4_1, "Q4_1", 32, 20},     {GgmlType::q5_0, "Q5_0", 32, 22},
      {GgmlType::q5_1, "Q5_1", 32, 24},     {GgmlType::q8_0, "Q8_0", 32, 34},
      {GgmlType::q4_k, "Q4_K", 256, 144},   {GgmlType::q5_k, "Q5_K", 256, 176},
      {GgmlType::q6_k, "Q6_K", 256, 210},   {GgmlType::q2_k, "Q2_K", 256, 84},
      {GgmlType::q3_k, "Q3_K", 256, 110},   {GgmlType::q8_k, "Q8_K", 256, 292},
      {GgmlType::iq4_nl, "IQ4_NL", 32, 18}, {GgmlType::iq4_xs, "IQ4_XS", 256, 136},
      {GgmlType::mxfp4, "MXFP4", 32, 17},
  };
  for (const auto& expected : cases) {
    EXPECT_STREQ(name_of(expected.type), expected.name);
    EXPECT_EQ(info_of(expected.type).block_elements, expected.elements) << expected.name;
    EXPECT_EQ(info_of(expected.type).block_bytes, expected.bytes) << expected.name;
  }
}

TEST(GgmlType, NamesTypesThatItDoesNotRead) {
  ASSERT_NE(find_ggml_type(16), nullptr);
  EXPECT_STREQ(find_ggml_type(16)->name, "IQ2_XXS");
  EXPECT_EQ(find_ggml_type(16)->block_elements, 0);
  EXPECT_EQ(find_ggml_type(4), nullptr);
  EXPECT_EQ(find_ggml_type(9999), nullptr);
}

TEST(GgmlType, ListsWhatItReads) {
  EXPECT_EQ(readable_ggml_types(),
            "F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, Q8_K, IQ4_NL, "
            "IQ4_XS, BF16, MXFP4");
}

}  // namespace
}  // namespace colonnade
