#include "colonnade/models/text_model.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/models/hf_decoder_config.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

HfConfig config(const std::string& text) { return {text, "m/config.json"}; }

std::string failure_of(const std::string& text) {
  try {
    read_config(text_model(config(text)).fields);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TextModel, OfAModelThatSeesImagesItIsThatOfTextConfigWithItsClassesDefaults) {
  // As the 4B of Gemma 3 has it.
  const TextModel model = text_model(config(R"({"model_type": "gemma3", "text_config": {
      "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
      "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}})"));
  EXPECT_STREQ(model.family->model_type, "gemma3_text");
  EXPECT_FALSE(model.names.ignored.empty());
  const DecoderConfig c = read_config(model.fields);
  EXPECT_EQ(c.dim, 2560);
  EXPECT_EQ(c.heads, 8);
  EXPECT_EQ(c.kv_heads, 4);
  EXPECT_EQ(c.head_dim, 256);
  EXPECT_EQ(c.vocab, 262208);
  EXPECT_EQ(c.context, 131072);
  EXPECT_EQ(c.rope_theta, 1e6);
  EXPECT_EQ(c.local_rope_theta, 1e4);
  EXPECT_EQ(c.rope_scaling.factor, 8);
  EXPECT_EQ(c.attention_scale, 0.0625F);
  EXPECT_EQ(c.kinds[4].window, 1024);
  EXPECT_EQ(c.kinds[5].window, 0);
  EXPECT_EQ(c.tied, true);
}

TEST(TextModel, WhetherTheHeadIsTiedMayStandOutside) {
  for (const bool tied : {true, false}) {
    const std::string flag = tied ? "true" : "false";
    const TextModel model = text_model(config(
        R"({"model_type": "gemma3", "text_config": {}, "tie_word_embeddings": )" + flag + "}"));
    EXPECT_EQ(read_config(model.fields).tied, tied);
  }
}

TEST(TextModel, OfAnyOtherModelItIsAllOfIt) {
  const TextModel model = text_model(config(R"({"model_type": "gpt2"})"));
  EXPECT_STREQ(model.family->model_type, "gpt2");
  EXPECT_TRUE(model.names.ignored.empty());
  EXPECT_EQ(model.names.prefixes.size(), 1U);
}

TEST(TextModel, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_THAT(failure_of(R"({"model_type": "gemma3"})"),
              HasSubstr("m/config.json: field 'text_config' is missing"));
  EXPECT_THAT(failure_of(R"({"model_type": "gemma3", "text_config": 1})"),
              HasSubstr("text_config: expected an object, got 1"));
  EXPECT_THAT(failure_of(R"({"model_type": "gemma3", "text_config": {"hidden_size": 0}})"),
              HasSubstr("m/config.json: text_config.hidden_size: expected 1 to"));
  EXPECT_THAT(
      failure_of(R"({"model_type": "mistral3", "text_config": {"model_type": "mamba"}})"),
      HasSubstr("model_type 'mamba' is not supported; supported are: bloom, gemma2, gemma3"));
  EXPECT_THAT(failure_of(R"({"model_type": "llava"})"), HasSubstr("mistral, mistral3, opt"));
}

TEST(TextFields, AreThereForModelsOfNoKnownFamilyToo) {
  EXPECT_EQ(text_fields(config(R"({"model_type": "mamba", "x": 1})")).integer("x"), 1);
  EXPECT_EQ(text_fields(config(R"({"x": 1})")).integer("x"), 1);
  EXPECT_EQ(text_fields(config(R"({"model_type": "gemma3", "text_config": {}})"))
                .integer("num_hidden_layers"),
            26);
}

}  // namespace
}  // namespace colonnade
