#include "colonnade/models/hf_decoder_config.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::filesystem::path kFamilies = std::filesystem::path(COLONNADE_TEST_DATA) / "families";

json file_of(const std::string& family, const char* name = "config.json") {
  std::ifstream in(kFamilies / family / name);
  return json::parse(in);
}

DecoderConfig read(const json& fields) {
  return read_config(HfConfig(fields.dump(), "m/config.json"));
}

std::string failure_of(const json& fields) {
  try {
    read(fields);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_same(const DecoderConfig& a, const DecoderConfig& b, const std::string& family) {
  EXPECT_EQ(a.kinds, b.kinds) << family;
  EXPECT_EQ(a.rope_theta, b.rope_theta) << family;
  EXPECT_EQ(a.local_rope_theta, b.local_rope_theta) << family;
  EXPECT_EQ(a.rotary_dim, b.rotary_dim) << family;
  EXPECT_EQ(a.rope_scaling.kind, b.rope_scaling.kind) << family;
  EXPECT_EQ(a.rope_scaling.factor, b.rope_scaling.factor) << family;
  EXPECT_EQ(a.rope_scaling.original_context, b.rope_scaling.original_context) << family;
  EXPECT_EQ(a.rope_scaling.attention_factor, b.rope_scaling.attention_factor) << family;
  EXPECT_EQ(a.rope_scaling.truncate, b.rope_scaling.truncate) << family;
  EXPECT_EQ(a.rope_factors, b.rope_factors) << family;
  EXPECT_EQ(a.rope_long_factors, b.rope_long_factors) << family;
  EXPECT_EQ(a.tied, b.tied) << family;
  EXPECT_EQ(a.activation, b.activation) << family;
}

TEST(HfDecoderConfig, BothSpellingsOfEveryFamilyMeanTheSame) {
  int compared = 0;
  for (const auto& folder : std::filesystem::directory_iterator(kFamilies)) {
    const std::string family = folder.path().filename();
    if (!std::filesystem::exists(folder.path() / "config.other_form.json")) continue;
    expect_same(read(file_of(family)), read(file_of(family, "config.other_form.json")), family);
    ++compared;
  }
  EXPECT_GT(compared, 15);
}

TEST(HfDecoderConfig, LayersOfGemmaHaveTheirWindowsAndRotations) {
  const DecoderConfig c = read(file_of("gemma3"));
  EXPECT_EQ(c.kinds,
            (std::vector<LayerKind>{
                {.window = 16, .local_rope = true}, {.window = 16, .local_rope = true}, {}}));
  EXPECT_FLOAT_EQ(c.attention_scale, static_cast<float>(1 / std::sqrt(12.0)));
  EXPECT_TRUE(c.norms_of_outputs);
}

TEST(HfDecoderConfig, WhatIsNotMentionedIsTheDefaultOfItsFamilyAndNullIsNone) {
  json fields = file_of("qwen2");
  fields.erase("use_sliding_window");
  EXPECT_EQ(read(fields).kinds[0].window, 0);
  fields = file_of("mistral");
  fields.erase("sliding_window");
  EXPECT_EQ(read(fields).kinds[0].window, 4096);
  fields["sliding_window"] = nullptr;
  EXPECT_EQ(read(fields).kinds[0].window, 0);
  fields = file_of("gemma2");
  fields.erase("attn_logit_softcapping");
  EXPECT_EQ(read(fields).attention_softcap, 50.0F);
  fields["attn_logit_softcapping"] = nullptr;
  EXPECT_EQ(read(fields).attention_softcap, 0.0F);
}

TEST(HfDecoderConfig, OldBloomFilesHaveTheirOwnWords) {
  json fields = file_of("bloom");
  fields["n_embed"] = fields["hidden_size"];
  fields["num_attention_heads"] = fields["n_head"];
  fields.erase("hidden_size");
  fields.erase("n_head");
  EXPECT_EQ(read(fields).dim, 32);
  EXPECT_EQ(read(fields).heads, 4);
}

TEST(HfDecoderConfig, AWindowThatIsNotUsedIsNone) {
  EXPECT_EQ(read(file_of("qwen2")).kinds[0].window, 0);
  const DecoderConfig c = read(file_of("qwen2_window"));
  EXPECT_EQ(c.kinds[0].window, 0);
  EXPECT_EQ(c.kinds[1].window, 16);
}

TEST(HfDecoderConfig, ExpertsStandInTheLayersThatAreSaid) {
  const DecoderConfig c = read(file_of("qwen3_moe_mixed"));
  std::vector<bool> experts;
  for (const LayerKind& kind : c.kinds) experts.push_back(kind.experts);
  EXPECT_EQ(experts, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(c.router, RouterKind::softmax_then_choose);
  EXPECT_EQ(c.experts_per_token, 4);
}

TEST(HfDecoderConfig, LongFactorsAreThoseOfLongContexts) {
  const DecoderConfig c = read(file_of("phi3_longrope"));
  EXPECT_EQ(for_context(c, 32).rope_factors[0], 1.0F);
  EXPECT_EQ(for_context(c, 33).rope_factors[0], 1.1F);
}

struct Wrong {
  const char* family;
  const char* field;
  json value;
  const char* words;
};

TEST(HfDecoderConfig, EachWrongFieldIsNamedWithItsFile) {
  const Wrong all[] = {
      {"llama", "model_type", "mamba", "model_type 'mamba' is not supported"},
      {"llama", "num_hidden_layers", 0, "num_hidden_layers: expected 1 to 10000, got 0"},
      {"llama", "num_hidden_layers", "two", "num_hidden_layers"},
      {"llama", "hidden_size", -1, "hidden_size: expected 1"},
      {"llama", "intermediate_size", 1.5, "intermediate_size"},
      {"llama", "vocab_size", nullptr, "vocab_size"},
      {"llama", "max_position_embeddings", 0, "max_position_embeddings: expected 1"},
      {"llama", "num_attention_heads", 1 << 20, "num_attention_heads: expected 1 to 65536"},
      {"llama", "num_key_value_heads", 3, "num_key_value_heads: expected a divisor of the 4"},
      {"llama", "head_dim", 100000, "head_dim: expected 1 to 512"},
      {"llama", "rms_norm_eps", "small", "rms_norm_eps"},
      {"llama", "rms_norm_eps", nullptr, "rms_norm_eps"},
      {"llama", "hidden_act", "mish", "hidden_act: expected silu"},
      {"llama", "rope_theta", -1, "rope_theta: expected a positive number"},
      {"llama", "rope_scaling", json{{"rope_type", "magic"}, {"factor", 2}},
       "rope_scaling.rope_type"},
      {"llama", "rope_scaling", json{{"rope_type", "linear"}},
       "rope_scaling: field 'factor' is missing"},
      {"llama", "rope_scaling", json{{"rope_type", "llama3"}, {"factor", 2}}, "low_freq_factor"},
      {"llama", "rope_scaling", 3, "rope_scaling"},
      {"llama", "tie_word_embeddings", 3, "tie_word_embeddings"},
      {"mistral", "sliding_window", 0, "sliding_window: expected 1"},
      {"gemma3", "query_pre_attn_scalar", 0, "query_pre_attn_scalar"},
      {"gemma3", "use_bidirectional_attention", true, "use_bidirectional_attention"},
      {"gemma3_linear", "layer_types", json{"full_attention"},
       "layer_types: expected one for each"},
      {"gemma3_linear", "layer_types", json{"full_attention", "linear_attention", "full_attention"},
       "layer_types"},
      {"gpt2", "scale_attn_weights", false, "scale_attn_weights"},
      {"opt", "layer_norm_elementwise_affine", false, "layer_norm_elementwise_affine"},
      {"bloom", "apply_residual_connection_post_layernorm", true,
       "apply_residual_connection_post_layernorm"},
      {"phi3", "partial_rotary_factor", 1.5, "partial_rotary_factor: expected at most 1"},
      {"qwen3_moe", "num_experts_per_tok", 99, "num_experts_per_tok: expected 1 to 8"},
      {"qwen3_moe", "moe_intermediate_size", nullptr, "moe_intermediate_size"},
      {"qwen3_moe", "decoder_sparse_step", 0, "decoder_sparse_step"},
      {"gpt_oss", "swiglu_limit", 9, "swiglu_limit: expected 7"},
  };
  for (const Wrong& wrong : all) {
    json fields = file_of(wrong.family);
    fields[wrong.field] = wrong.value;
    EXPECT_THAT(failure_of(fields), HasSubstr(wrong.words)) << wrong.family << " " << wrong.field;
  }
}

}  // namespace
}  // namespace colonnade
