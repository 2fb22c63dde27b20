#include "colonnade/api/gguf_vocabulary.h"

#include <memory>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

GgufEntry entry(const char* name, GgufValueType type, decltype(GgufValue::data) data) {
  return {std::string("tokenizer.ggml.") + name, {type, std::move(data)}, 0};
}

GgufEntry text_entry(const char* name, const char* text) {
  return entry(name, GgufValueType::string, std::string(text));
}

GgufEntry number_entry(const char* name, uint64_t number) {
  return entry(name, GgufValueType::u32, number);
}

GgufEntry flag_entry(const char* name, bool flag) {
  return entry(name, GgufValueType::boolean, flag);
}

GgufEntry strings_entry(const char* name, const std::vector<std::string>& strings) {
  std::string bytes;
  std::vector<uint64_t> ends;
  for (const std::string& s : strings) ends.push_back((bytes += s).size());
  auto array = std::make_shared<GgufArray>();
  array->element_type = GgufValueType::string;
  array->size = static_cast<int64_t>(strings.size());
  array->strings = StringArray(bytes, ends);
  return entry(name, GgufValueType::array, std::shared_ptr<const GgufArray>(array));
}

template <typename T>
GgufEntry array_entry(const char* name, GgufValueType type, const std::vector<T>& values) {
  auto array = std::make_shared<GgufArray>();
  array->element_type = type;
  array->size = static_cast<int64_t>(values.size());
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  array->numbers.assign(bytes, bytes + values.size() * sizeof(T));
  return entry(name, GgufValueType::array, std::shared_ptr<const GgufArray>(array));
}

TEST(GgufVocabulary, EveryKeyHasItsMember) {
  const GgufMetadata metadata(
      "file", {text_entry("model", "gpt2"), text_entry("pre", "qwen2"),
               strings_entry("tokens", {"a", "b", "ab"}), strings_entry("merges", {"a b"}),
               array_entry<int32_t>("token_type", GgufValueType::i32, {1, 1, 3}),
               array_entry<float>("scores", GgufValueType::f32, {0.0f, -1.0f, 2.5f}),
               number_entry("bos_token_id", 1), number_entry("eos_token_id", 2),
               number_entry("eot_token_id", 3), number_entry("padding_token_id", 4),
               number_entry("unknown_token_id", 5), flag_entry("add_bos_token", false),
               flag_entry("add_eos_token", true), flag_entry("add_space_prefix", false)});
  const text::Vocabulary v = gguf_vocabulary(metadata);
  EXPECT_EQ(v.model, "gpt2");
  EXPECT_EQ(v.pre, "qwen2");
  EXPECT_THAT(v.tokens, testing::ElementsAre("a", "b", "ab"));
  EXPECT_THAT(v.merges, testing::ElementsAre("a b"));
  EXPECT_THAT(v.token_types, testing::ElementsAre(1, 1, 3));
  EXPECT_THAT(v.scores, testing::ElementsAre(0.0f, -1.0f, 2.5f));
  EXPECT_EQ(v.bos, 1);
  EXPECT_EQ(v.eos, 2);
  EXPECT_EQ(v.eot, 3);
  EXPECT_EQ(v.pad, 4);
  EXPECT_EQ(v.unk, 5);
  EXPECT_EQ(v.add_bos, std::optional(false));
  EXPECT_TRUE(v.add_eos);
  EXPECT_EQ(v.space_prefix, std::nullopt);
}

TEST(GgufVocabulary, WhatIsNotSaidIsLeftToTheTokenizer) {
  const text::Vocabulary v = gguf_vocabulary(GgufMetadata("file", {text_entry("model", "llama")}));
  EXPECT_EQ(v.pre, "");
  EXPECT_TRUE(v.tokens.empty() && v.merges.empty() && v.token_types.empty() && v.scores.empty());
  for (const int32_t id : {v.bos, v.eos, v.eot, v.pad, v.unk}) EXPECT_EQ(id, -1);
  EXPECT_EQ(v.add_bos, std::nullopt);
  EXPECT_FALSE(v.add_eos);
  EXPECT_EQ(v.space_prefix, text::NormalizerStep::Kind::prepend);
}

TEST(GgufVocabulary, Phi3sControlTokensStripWhatIsBehindThem) {
  const GgufEntry phi3{"general.architecture", {GgufValueType::string, std::string("phi3")}, 0};
  const auto strips = [&](const char* model) {
    return gguf_vocabulary(GgufMetadata("file", {phi3, text_entry("model", model)}))
        .strip_behind_control;
  };
  EXPECT_TRUE(strips("llama"));
  EXPECT_FALSE(strips("gpt2"));
}

TEST(GgufVocabulary, AFileWithoutATokenizerIsRefused) {
  EXPECT_THROW(gguf_vocabulary(GgufMetadata("file", {})), Error);
}

TEST(GgufVocabulary, AnIdBeyond32BitsIsRefused) {
  const GgufMetadata metadata(
      "file", {text_entry("model", "gpt2"), number_entry("bos_token_id", uint64_t{1} << 32)});
  EXPECT_THROW(gguf_vocabulary(metadata), Error);
}

}  // namespace
}  // namespace colonnade
