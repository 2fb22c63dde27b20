#include "colonnade/models/tensor_names.h"

#include "tests/models/shape_source.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

/// Four query heads and two of keys and values, 8 wide; three experts.
DecoderConfig config() {
  DecoderConfig c;
  c.heads = 4;
  c.kv_heads = 2;
  c.head_dim = 8;
  c.experts = 3;
  return c;
}

TensorEntry matrix(const char* name, int64_t rows, int64_t cols) {
  return {name, WeightFormat::f32, rows, cols, rows * cols * 4};
}

NamedSource named(const test::ShapeSource& shapes, std::span<const NameRule> rules) {
  return NamedSource(shapes, {.rules = rules}, config());
}

TEST(NamedSource, KeepsTheEndingTheLayerAndNamesOfNoRule) {
  const test::ShapeSource shapes({matrix("model.layers.12.self_attn.q_proj.weight", 32, 16),
                                  matrix("model.layers.12.self_attn.q_proj.bias", 1, 32),
                                  matrix("model.layers.x.self_attn.q_proj.bias", 1, 32)});
  const NameRule rules[] = {{"blk.#.attn_q", "model.layers.#.self_attn.q_proj"}};
  const NamedSource source = named(shapes, rules);
  ASSERT_NE(source.find("blk.12.attn_q.weight"), nullptr);
  EXPECT_EQ(source.find("blk.12.attn_q.weight")->file_name,
            "model.layers.12.self_attn.q_proj.weight");
  EXPECT_NE(source.find("blk.12.attn_q.bias"), nullptr);
  EXPECT_NE(source.find("model.layers.x.self_attn.q_proj.bias"), nullptr);
  EXPECT_EQ(source.entries().size(), 3U);
}

TEST(NamedSource, CutsFusedRowsIntoQueriesKeysAndValues) {
  const test::ShapeSource shapes({matrix("h.0.qkv.weight", 64, 16), matrix("h.0.qkv.bias", 1, 64)});
  const NameRule rules[] = {{"blk.#.attn_q", "h.#.qkv", Piece::q},
                            {"blk.#.attn_k", "h.#.qkv", Piece::k},
                            {"blk.#.attn_v", "h.#.qkv", Piece::v}};
  const NamedSource source = named(shapes, rules);
  const TensorEntry* k = source.find("blk.0.attn_k.weight");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->rows, 16);
  EXPECT_EQ(k->map(0), 32);
  EXPECT_EQ(k->file_bytes, 16 * 16 * 4);
  EXPECT_EQ(source.find("blk.0.attn_v.bias")->cols, 16);
  EXPECT_EQ(source.find("blk.0.attn_v.bias")->map(0), 48);
  EXPECT_EQ(source.find("blk.0.attn_q.weight")->rows, 32);
}

TEST(NamedSource, TakesHeadsOutOfInterleavedOnes) {
  const test::ShapeSource shapes({matrix("h.3.qkv.weight", 96, 16)});
  const NameRule rules[] = {{"blk.#.attn_k", "h.#.qkv", Piece::k_of_heads}};
  const NamedSource source = named(shapes, rules);
  const TensorEntry* k = source.find("blk.3.attn_k.weight");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->rows, 32);
  EXPECT_EQ(k->map(7), 15);
  EXPECT_EQ(k->map(8), 32);
}

TEST(NamedSource, TakesEveryExpertOutOfAStack) {
  const test::ShapeSource shapes({matrix("e.0.gate_up", 3 * 10, 16),
                                  matrix("e.0.gate_up_bias", 3, 10),
                                  matrix("e.0.down", 3 * 16, 5)});
  const NameRule rules[] = {{"blk.#.ffn_gate.@.weight", "e.#.gate_up", Piece::expert_even},
                            {"blk.#.ffn_up.@.weight", "e.#.gate_up", Piece::expert_odd},
                            {"blk.#.ffn_up.@.bias", "e.#.gate_up_bias", Piece::expert_odd},
                            {"blk.#.ffn_down.@.weight", "e.#.down", Piece::expert}};
  const NamedSource source = named(shapes, rules);
  const TensorEntry* up = source.find("blk.0.ffn_up.2.weight");
  ASSERT_NE(up, nullptr);
  EXPECT_EQ(up->rows, 5);
  EXPECT_EQ(up->map(1), 23);
  const TensorEntry* bias = source.find("blk.0.ffn_up.1.bias");
  ASSERT_NE(bias, nullptr);
  EXPECT_EQ(bias->rows, 1);
  EXPECT_EQ(bias->cols, 5);
  EXPECT_EQ(bias->map(0), 11);
  EXPECT_EQ(source.find("blk.0.ffn_down.1.weight")->map(2), 18);
  EXPECT_EQ(source.find("blk.0.ffn_down.3.weight"), nullptr);
}

TEST(NamedSource, TurnsAndAddsAsTheRuleSays) {
  const test::ShapeSource shapes({matrix("h.0.c_proj.weight", 16, 32),
                                  matrix("h.0.c_proj.bias", 1, 32), matrix("norm.weight", 1, 16)});
  const NameRule rules[] = {{"blk.#.attn_output", "h.#.c_proj", Piece::whole, Form::transposed},
                            {"output_norm", "norm", Piece::whole, Form::minus_one}};
  const NamedSource source = named(shapes, rules);
  EXPECT_EQ(source.find("blk.0.attn_output.weight")->rows, 32);
  EXPECT_TRUE(source.find("blk.0.attn_output.weight")->transposed);
  EXPECT_FALSE(source.find("blk.0.attn_output.bias")->transposed);
  EXPECT_EQ(source.find("output_norm.weight")->add, 1);
}

TEST(NamedSource, SaysWhatTheFilesCallATensorThatTheyLack) {
  const test::ShapeSource shapes({matrix("transformer.wte.weight", 32, 16)});
  const NameRule rules[] = {{"", "h.#.attn.bias", Piece::unused},
                            {"token_embd", "wte"},
                            {"blk.#.attn_q", "h.#.qkv", Piece::q},
                            {"blk.#.ffn_up.@.weight", "h.#.experts_up", Piece::expert}};
  const NamePrefix prefixes[] = {{"transformer.", ""}};
  const NamedSource source(shapes, {.rules = rules, .prefixes = prefixes}, config());
  EXPECT_EQ(source.name_in_files("blk.3.attn_q.bias"), "transformer.h.3.qkv.bias");
  EXPECT_EQ(source.name_in_files("blk.3.ffn_up.2.weight"), "transformer.h.3.experts_up");
  EXPECT_EQ(source.name_in_files("output.weight"), "output.weight");
  EXPECT_EQ(named(shapes, rules).name_in_files("token_embd.weight"), "wte.weight");
}

TEST(NamedSource, ReplacesTheFirstPrefixThatANameHasAndIgnoresOtherParts) {
  const NamePrefix prefixes[] = {{"language_model.", ""}, {"model.language_model.", "model."}};
  const char* const others[] = {"vision_tower.", "model.vision_tower."};
  const NameRule rules[] = {{"token_embd", "model.embed"}, {"output", "lm_head"}};
  const FileNames names{.rules = rules, .prefixes = prefixes, .ignored = others};
  const test::ShapeSource old({matrix("language_model.model.embed.weight", 4, 4),
                               matrix("vision_tower.a.weight", 4, 4),
                               matrix("language_model.vision_tower.weight", 4, 4)});
  const NamedSource source(old, names, config());
  EXPECT_NE(source.find("token_embd.weight"), nullptr);
  EXPECT_THAT(source.ignored(), testing::ElementsAre("vision_tower.a.weight"));
  EXPECT_EQ(source.entries().size(), 2U);
  EXPECT_EQ(source.name_in_files("output.weight"), "language_model.lm_head.weight");
  const test::ShapeSource now({matrix("model.language_model.embed.weight", 4, 4),
                               matrix("model.vision_tower.a.weight", 4, 4)});
  const NamedSource newer(now, names, config());
  EXPECT_NE(newer.find("token_embd.weight"), nullptr);
  EXPECT_EQ(newer.ignored().size(), 1U);
  EXPECT_EQ(newer.name_in_files("token_embd.bias"), "model.language_model.embed.bias");
  EXPECT_EQ(newer.name_in_files("output.weight"), "lm_head.weight");
}

TEST(NamedSource, WrongRowsAndTwoTensorsOfOneNameAreErrorsThatNameThem) {
  const test::ShapeSource fused({matrix("h.0.qkv.weight", 60, 16)});
  const NameRule q[] = {{"blk.#.attn_q", "h.#.qkv", Piece::q}};
  const test::ShapeSource twins({matrix("a.weight", 4, 4), matrix("b.weight", 4, 4)});
  const NameRule both[] = {{"c", "a"}, {"c", "b"}};
  try {
    named(fused, q);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'h.0.qkv.weight': expected 64 rows"));
  }
  try {
    named(twins, both);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'a.weight' and 'b.weight'"));
  }
}

}  // namespace
}  // namespace colonnade
