#include "colonnade/models/gguf_config_keys.h"

#include <functional>
#include <string>

#include "tests/models/shape_source.h"
#include <gtest/gtest.h>

#include "colonnade/models/family.h"
#include "colonnade/models/gguf_config.h"

namespace colonnade {
namespace {

constexpr const char* kArchitectures[] = {"llama",  "qwen2",  "qwen3",   "qwen3moe",
                                          "gemma2", "gemma3", "gpt-oss", "opt",
                                          "gpt2",   "bloom",  "phi3"};

/// A small model of an architecture, as its family makes it.
DecoderConfig config_of(const std::string& architecture) {
  DecoderConfig c;
  c.architecture = architecture;
  c.layers = 12;
  c.dim = 64;
  c.ffn_dim = 96;
  c.vocab = 300;
  c.context = 256;
  c.heads = 4;
  c.kv_heads = 2;
  c.head_dim = 24;
  c.norm_eps = 1e-6F;
  const Family& family = family_of_architecture(architecture);
  family.configure(c);
  if (c.positions == Positions::rotary) c.rotary_dim = c.head_dim;
  give_windows(c, c.window_period > 0 ? 32 : 0, c.window_period);
  if (family.configure_gguf != nullptr) family.configure_gguf(GgufMetadata(), c);
  return c;
}

DecoderConfig read_back(const DecoderConfig& config, std::vector<TensorEntry> tensors = {}) {
  GgufKeys keys;
  keys.text("general.architecture", config.architecture);
  add_config_keys(config, keys);
  tensors.push_back({"token_embd.weight", WeightFormat::q8_0, config.vocab, config.dim, 0});
  return read_config(GgufMetadata("file", keys.entries), test::ShapeSource(tensors));
}

void expect_same(const DecoderConfig& a, const DecoderConfig& b) {
  const char* different = config_difference(a, b);
  EXPECT_EQ(different, nullptr) << a.architecture << ": " << (different ? different : "");
}

TEST(ConfigKeys, EveryFamilyIsReadBack) {
  for (const char* architecture : kArchitectures) {
    const DecoderConfig config = config_of(architecture);
    expect_same(config, read_back(config));
  }
}

TEST(ConfigKeys, WhatAConfigurationMayHaveIsReadBack) {
  const std::function<void(DecoderConfig&)> changes[] = {
      [](DecoderConfig& c) {
        c.attention_softcap = 50;
        c.logit_softcap = 30;
      },
      [](DecoderConfig& c) { give_windows(c, 48, 0); },
      [](DecoderConfig& c) {
        c.rotary_dim = 12;
        c.rope_theta = 5e5;
      },
      [](DecoderConfig& c) { c.rope_scaling = {.kind = RopeScaling::Kind::linear, .factor = 3}; },
      [](DecoderConfig& c) {
        c.rope_scaling = {.kind = RopeScaling::Kind::yarn, .factor = 4, .original_context = 64};
      },
      [](DecoderConfig& c) {
        c.rope_scaling = {.kind = RopeScaling::Kind::yarn,
                          .factor = 4,
                          .original_context = 64,
                          .beta_fast = 16,
                          .beta_slow = 2,
                          .attention_factor = 1.5};
      }};
  for (const auto& change : changes) {
    DecoderConfig config = config_of("llama");
    change(config);
    expect_same(config, read_back(config));
  }
}

TEST(ConfigKeys, DivisorsOfFrequenciesAreTensors) {
  DecoderConfig config = config_of("llama");
  config.rope_factors.assign(12, 2);
  ASSERT_EQ(config_tensors(config).size(), 1U);
  EXPECT_EQ(config_tensors(config)[0].name, "rope_freqs.weight");
  EXPECT_EQ(config_tensors(config)[0].values, config.rope_factors);
  expect_same(config, read_back(config, {{"rope_freqs.weight", WeightFormat::f32, 1, 12, 48}}));
}

TEST(ConfigKeys, LongAndShortDivisorsAreLongropes) {
  DecoderConfig config = config_of("phi3");
  config.rope_factors.assign(12, 2);
  config.rope_long_factors.assign(12, 2);
  config.rope_scaling = {.kind = RopeScaling::Kind::longrope,
                         .factor = 4,
                         .original_context = 64,
                         .attention_factor = 1.25};
  EXPECT_EQ(config_tensors(config).size(), 2U);
  expect_same(config,
              read_back(config, {{"rope_factors_short.weight", WeightFormat::f32, 1, 12, 48},
                                 {"rope_factors_long.weight", WeightFormat::f32, 1, 12, 48}}));
}

TEST(ConfigKeys, ADifferenceIsNamed) {
  struct Case {
    const char* expected;
    std::function<void(DecoderConfig&)> change;
  };
  const Case cases[] = {
      {"a size", [](DecoderConfig& c) { c.ffn_dim = 128; }},
      {"heads", [](DecoderConfig& c) { c.kv_heads = 4; }},
      {"query_pre_attn_scalar", [](DecoderConfig& c) { c.attention_scale = 0.5F; }},
      {"a soft cap", [](DecoderConfig& c) { c.logit_softcap = 30; }},
      {"sliding windows or layer types", [](DecoderConfig& c) { c.kinds[1].window = 8; }},
      {"rotation", [](DecoderConfig& c) { c.rope_theta = 1e6; }},
      {"rotation", [](DecoderConfig& c) { c.rope_factors.assign(12, 3); }},
      {"rope_scaling",
       [](DecoderConfig& c) {
         c.rope_scaling = {.kind = RopeScaling::Kind::yarn, .factor = 4, .original_context = 64};
       }},
      {"norms", [](DecoderConfig& c) { c.norms_after = true; }},
      {"hidden_act", [](DecoderConfig& c) { c.activation = Activation::relu; }},
      {"experts", [](DecoderConfig& c) { c.experts = 4; }},
      {"the embedding", [](DecoderConfig& c) { c.embedding_scale = 2; }},
  };
  for (const Case& c : cases) {
    DecoderConfig config = config_of("llama");
    c.change(config);
    EXPECT_STREQ(config_difference(config_of("llama"), config), c.expected);
  }
}

}  // namespace
}  // namespace colonnade
