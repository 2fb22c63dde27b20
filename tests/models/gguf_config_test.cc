#include "colonnade/models/gguf_config.h"

#include <cmath>
#include <map>
#include <memory>

#include "tests/models/shape_source.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

GgufEntry number(const std::string& key, int64_t value) {
  return {key, {GgufValueType::u32, static_cast<uint64_t>(value)}, 0};
}
GgufEntry real(const std::string& key, double value) {
  return {key, {GgufValueType::f32, value}, 0};
}
GgufEntry text(const std::string& key, const std::string& value) {
  return {key, {GgufValueType::string, value}, 0};
}

std::vector<GgufEntry> metadata_of(const std::string& a) {
  return {text("general.architecture", a),
          text("general.name", "tiny"),
          number(a + ".block_count", 2),
          number(a + ".embedding_length", 64),
          number(a + ".feed_forward_length", 96),
          number(a + ".context_length", 256),
          number(a + ".attention.head_count", 4),
          number(a + ".attention.head_count_kv", 2),
          real(a + ".attention.layer_norm_rms_epsilon", 1e-6)};
}

const test::ShapeSource kSource({{"token_embd.weight", WeightFormat::q8_0, 300, 64, 0}});

std::string failure_of(std::vector<GgufEntry> entries, const TensorSource& source = kSource) {
  try {
    read_config(GgufMetadata("file", std::move(entries)), source);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ReadConfig, CommonKeysFillTheConfiguration) {
  const DecoderConfig c = read_config(GgufMetadata("file", metadata_of("qwen2")), kSource);
  EXPECT_EQ(c.layers, 2);
  EXPECT_EQ(c.dim, 64);
  EXPECT_EQ(c.vocab, 300);
  EXPECT_EQ(c.heads, 4);
  EXPECT_EQ(c.kv_heads, 2);
  EXPECT_EQ(c.head_dim, 16);
  EXPECT_EQ(c.rotary_dim, 16);
  EXPECT_EQ(c.rope_theta, 10000);
  EXPECT_FLOAT_EQ(c.norm_eps, 1e-6F);
  EXPECT_FALSE(c.interleaved_qk);
}

TEST(ReadConfig, LlamaRowsStandInterleaved) {
  EXPECT_TRUE(read_config(GgufMetadata("file", metadata_of("llama")), kSource).interleaved_qk);
}

TEST(ReadConfig, AWindowIsThatOfAllLayersButThoseThatSeeAllPositions) {
  std::vector<GgufEntry> entries = metadata_of("gemma3");
  entries[2] = number("gemma3.block_count", 7);
  entries.push_back(number("gemma3.attention.sliding_window", 512));
  const DecoderConfig c = read_config(GgufMetadata("file", entries), kSource);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(c.kinds[i].window, i == 5 ? 0 : 512) << i;
    EXPECT_EQ(c.kinds[i].local_rope, i != 5) << i;
  }
  EXPECT_EQ(c.embedding_scale, 8.0F);
  entries = metadata_of("qwen3");
  EXPECT_EQ(read_config(GgufMetadata("file", entries), kSource).kinds,
            std::vector<LayerKind>(2, LayerKind{}));
}

TEST(ReadConfig, AFileMaySayWhichLayersHaveTheWindowAndTheirBase) {
  std::vector<GgufEntry> entries = metadata_of("gemma3");
  entries[2] = number("gemma3.block_count", 3);
  entries.push_back(number("gemma3.attention.sliding_window", 512));
  entries.push_back(real("gemma3.rope.freq_base_swa", 5000));
  entries.push_back(number("gemma3.attention.sliding_window_pattern", 2));
  const LayerKind window{.window = 512, .local_rope = true};
  const DecoderConfig every_second = read_config(GgufMetadata("file", entries), kSource);
  EXPECT_EQ(every_second.kinds, (std::vector<LayerKind>{window, {}, window}));
  EXPECT_EQ(every_second.local_rope_theta, 5000);
  GgufArray sliding{
      .element_type = GgufValueType::boolean, .size = 3, .numbers = {}, .strings = {}};
  sliding.numbers = {std::byte{0}, std::byte{1}, std::byte{1}};
  entries.back().value = {GgufValueType::array, std::make_shared<const GgufArray>(sliding)};
  EXPECT_EQ(read_config(GgufMetadata("file", entries), kSource).kinds,
            (std::vector<LayerKind>{{}, window, window}));
}

TEST(ReadConfig, Gemma2HasItsWindowWhereAFileDoesNotSayIt) {
  const DecoderConfig c = read_config(GgufMetadata("file", metadata_of("gemma2")), kSource);
  EXPECT_EQ(c.kinds, (std::vector<LayerKind>{{.window = 4096}, {}}));
}

TEST(ReadConfig, LayerNormsHaveAnEpsilonOfTheirOwnName) {
  std::vector<GgufEntry> entries = metadata_of("gpt2");
  EXPECT_THAT(failure_of(entries), testing::HasSubstr("gpt2.attention.layer_norm_epsilon"));
  entries.back() = real("gpt2.attention.layer_norm_epsilon", 1e-5);
  const DecoderConfig c = read_config(GgufMetadata("file", entries), kSource);
  EXPECT_EQ(c.norm, NormKind::layer);
  EXPECT_EQ(c.positions, Positions::learned);
}

TEST(ReadConfig, HeadDimensionMayBeAKeyOfItsOwn) {
  std::vector<GgufEntry> entries = metadata_of("qwen3");
  entries.push_back(number("qwen3.attention.key_length", 32));
  entries.push_back(number("qwen3.attention.value_length", 32));
  EXPECT_EQ(read_config(GgufMetadata("file", entries), kSource).head_dim, 32);
  entries.back() = number("qwen3.attention.value_length", 48);
  EXPECT_THAT(failure_of(entries), testing::HasSubstr("qwen3.attention.value_length"));
}

TEST(ReadConfig, RopeFactorsComeFromTheirTensor) {
  const test::ShapeSource source({{"token_embd.weight", WeightFormat::q8_0, 300, 64, 0},
                                  {"rope_freqs.weight", WeightFormat::f32, 1, 8, 0}});
  EXPECT_EQ(read_config(GgufMetadata("file", metadata_of("llama")), source).rope_factors,
            std::vector<float>(8, 2.0F));
}

TEST(ReadConfig, Phi3sLongContextFilesHaveShortAndLongFactors) {
  std::vector<GgufEntry> entries = metadata_of("phi3");
  entries.push_back(number("phi3.rope.scaling.original_context_length", 64));
  entries.push_back(real("phi3.rope.scaling.attn_factor", 1.25));
  std::vector<TensorEntry> tensors = {{"token_embd.weight", WeightFormat::q8_0, 300, 64, 0},
                                      {"rope_factors_short.weight", WeightFormat::f32, 1, 8, 0}};
  EXPECT_THAT(failure_of(entries, test::ShapeSource(tensors)),
              testing::HasSubstr("'rope_factors_long.weight' is missing"));
  tensors.push_back({"rope_factors_long.weight", WeightFormat::f32, 1, 7, 0});
  EXPECT_THAT(failure_of(entries, test::ShapeSource(tensors)),
              testing::HasSubstr("'rope_factors_long.weight': expected 8 values"));
  tensors.back().cols = 8;
  const DecoderConfig c = read_config(GgufMetadata("file", entries), test::ShapeSource(tensors));
  EXPECT_EQ(c.rope_scaling.kind, RopeScaling::Kind::longrope);
  EXPECT_EQ(c.rope_scaling.original_context, 64);
  EXPECT_EQ(c.rope_scaling.attention_factor, 1.25);
  EXPECT_EQ(c.rope_factors.size(), 8U);
  EXPECT_EQ(c.rope_long_factors.size(), 8U);
}

TEST(ReadConfig, AnUnknownArchitectureIsNamedWithTheKnownOnes) {
  const std::string message = failure_of(metadata_of("mamba"));
  EXPECT_THAT(message, testing::HasSubstr("'mamba'"));
  EXPECT_THAT(message, testing::HasSubstr("llama, opt, phi3, qwen2, qwen3, qwen3moe"));
}

TEST(ReadConfig, TheAttentionFactorOfAFileMultipliesYarns) {
  std::vector<GgufEntry> entries = metadata_of("llama");
  entries.push_back(text("llama.rope.scaling.type", "yarn"));
  entries.push_back(real("llama.rope.scaling.factor", 4));
  const double own = 0.1 * std::log(4.0) + 1;
  EXPECT_NEAR(read_config(GgufMetadata("file", entries), kSource).rope_scaling.attention_factor,
              own, 1e-12);
  entries.push_back(real("llama.rope.scaling.attn_factor", 1.5));
  EXPECT_NEAR(read_config(GgufMetadata("file", entries), kSource).rope_scaling.attention_factor,
              1.5 * own, 1e-12);
}

TEST(ReadConfig, AnUnknownRopeScalingIsAnError) {
  std::vector<GgufEntry> entries = metadata_of("llama");
  entries.push_back(text("llama.rope.scaling.type", "longrope"));
  EXPECT_THAT(failure_of(entries), testing::HasSubstr("'longrope'"));
}

TEST(ReadConfig, EveryMissingKeyIsNamed) {
  const std::vector<GgufEntry> all = metadata_of("llama");
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].key == "general.name" || all[i].key == "llama.attention.head_count_kv") continue;
    std::vector<GgufEntry> entries = all;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(failure_of(entries), testing::HasSubstr(all[i].key));
  }
  EXPECT_THAT(failure_of(all, test::ShapeSource({})), testing::HasSubstr("token_embd.weight"));
}

}  // namespace
}  // namespace colonnade
