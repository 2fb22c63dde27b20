#include "colonnade/engine/step.h"

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

Step example() {
  Step step;
  step.number = 7;
  step.tokens = {5, 6, 7, 300};
  step.sequences = {{3, 61, {4, 2}}, {1, 0, {9}}};
  step.rows.resize(2);
  step.rows[0].row = 2;
  step.rows[0].request = {.candidates = 40,
                          .sums = true,
                          .draw = false,
                          .key = {42, 1, 64},
                          .temperature = 0.5,
                          .token = 3};
  step.rows[1].row = 3;
  step.rows[1].changes = {.bias = {{1, -2.0F}},
                          .counts = {{7, 2, 1}, {9, 1, 0}},
                          .repetition = 1.5F,
                          .presence = 0.25F,
                          .frequency = 0.125F};
  step.gathers_logits = true;
  return step;
}

TEST(Step, TravelsWithAllThatItSays) {
  std::vector<std::byte> bytes;
  const Step sent = example();
  write_step(sent, bytes);
  Step heard;
  heard.tokens.assign(100, 1);  // of a step before
  read_step(bytes, heard);
  EXPECT_EQ(heard.number, sent.number);
  EXPECT_EQ(heard.tokens, sent.tokens);
  ASSERT_EQ(heard.sequences.size(), 2u);
  EXPECT_EQ(heard.sequences[0].first_position, 61);
  EXPECT_EQ(heard.sequences[0].pages, sent.sequences[0].pages);
  ASSERT_EQ(heard.rows.size(), 2u);
  EXPECT_EQ(heard.rows[0].row, 2);
  EXPECT_EQ(heard.rows[0].request.candidates, 40);
  EXPECT_EQ(heard.rows[0].request.key.seed, 42u);
  EXPECT_EQ(heard.rows[0].request.key.position, 64);
  EXPECT_EQ(heard.rows[0].request.token, 3);
  EXPECT_TRUE(heard.rows[0].request.sums);
  EXPECT_FALSE(heard.rows[0].changes.any());
  EXPECT_EQ(heard.rows[1].changes.bias[0].added, -2.0F);
  EXPECT_EQ(heard.rows[1].changes.counts[1].id, 9);
  EXPECT_EQ(heard.rows[1].changes.repetition, 1.5F);
  EXPECT_EQ(heard.rows[1].changes.frequency, 0.125F);
  EXPECT_TRUE(heard.gathers_logits);
}

TEST(Step, EveryPrefixAndAByteTooManyAreErrors) {
  std::vector<std::byte> bytes;
  write_step(example(), bytes);
  Step heard;
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(read_step(std::span(bytes).first(length), heard), Error) << length;
  bytes.push_back(std::byte{0});
  EXPECT_THROW(read_step(bytes, heard), Error);
}

TEST(Step, AListLongerThanTheMessageIsAnErrorAndTakesNoMemory) {
  std::vector<std::byte> bytes;
  ByteWriter w(bytes);
  w.put(uint64_t{1});        // number
  w.put(uint64_t{1} << 62);  // tokens
  Step heard;
  EXPECT_THROW(read_step(bytes, heard), Error);
}

}  // namespace
}  // namespace colonnade
