#include "colonnade/api/hf_metadata.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

ModelFiles family(const std::string& name) {
  return ModelFiles(std::string(COLONNADE_TEST_DATA) + "/families/" + name);
}

std::string error_of(const std::string& name) {
  try {
    gguf_metadata_of(family(name), name);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HfMetadata, IsTheConfigurationUnderGgufsKeys) {
  const GgufMetadata keys("m.gguf", gguf_metadata_of(family("llama"), "shrunken"));
  EXPECT_EQ(keys.text("general.architecture"), "llama");
  EXPECT_EQ(keys.text("general.name"), "shrunken");
  EXPECT_EQ(keys.integer("llama.embedding_length"), 64);
  EXPECT_EQ(keys.integer("llama.attention.head_count_kv"), 2);
  EXPECT_EQ(keys.number("llama.rope.freq_base"), 500000);
  EXPECT_EQ(keys.text("tokenizer.ggml.pre"), "gpt-2");
  EXPECT_EQ(keys.strings("tokenizer.ggml.tokens").size(), 272);
  EXPECT_EQ(keys.integer("tokenizer.ggml.eos_token_id"), 271);
}

TEST(HfMetadata, WhatGgufCannotSayIsRefused) {
  EXPECT_THAT(error_of("bloom"), testing::HasSubstr("(llama, qwen2, qwen3), got 'bloom'"));
  EXPECT_THAT(error_of("llama_scaled"), testing::HasSubstr("config.json: rope_scaling"));
  EXPECT_THAT(error_of("qwen2_window"),
              testing::HasSubstr("config.json: sliding windows or layer types"));
}

}  // namespace
}  // namespace colonnade
