#include "colonnade/models/decoder_config.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

DecoderConfig valid() {
  DecoderConfig c;
  c.layers = 2;
  c.dim = 64;
  c.ffn_dim = 96;
  c.vocab = 300;
  c.context = 128;
  c.heads = 9;
  c.kv_heads = 3;
  c.head_dim = 16;
  c.rotary_dim = 16;
  c.kinds.resize(2);
  return c;
}

TEST(DecoderConfig, AValidOnePasses) { EXPECT_NO_THROW(check_config(valid())); }

TEST(DecoderConfig, EachWrongFieldIsNamed) {
  const std::vector<std::pair<const char*, std::function<void(DecoderConfig&)>>> cases = {
      {"layers", [](DecoderConfig& c) { c.layers = 0; }},
      {"embedding length", [](DecoderConfig& c) { c.dim = -1; }},
      {"feed-forward length", [](DecoderConfig& c) { c.ffn_dim = int64_t{1} << 40; }},
      {"vocabulary", [](DecoderConfig& c) { c.vocab = 0; }},
      {"context length", [](DecoderConfig& c) { c.context = 0; }},
      {"attention heads", [](DecoderConfig& c) { c.heads = 0; }},
      {"KV heads", [](DecoderConfig& c) { c.kv_heads = 10; }},
      {"multiple of the 2 KV heads", [](DecoderConfig& c) { c.kv_heads = 2; }},
      {"head dimension", [](DecoderConfig& c) { c.head_dim = 513; }},
      {"rotary dimension", [](DecoderConfig& c) { c.rotary_dim = 18; }},
      {"rotary dimension", [](DecoderConfig& c) { c.rotary_dim = 5; }},
      {"norm epsilon", [](DecoderConfig& c) { c.norm_eps = 0; }},
      {"rope base", [](DecoderConfig& c) { c.rope_theta = 0; }},
      {"layer kinds", [](DecoderConfig& c) { c.kinds.resize(3); }},
      {"attention window", [](DecoderConfig& c) { c.kinds[1].window = -1; }},
      {"experts: expected 1", [](DecoderConfig& c) { c.kinds[1].experts = true; }},
      {"rope factors", [](DecoderConfig& c) { c.rope_factors = {1}; }},
  };
  for (const auto& [words, spoil] : cases) {
    DecoderConfig c = valid();
    spoil(c);
    try {
      check_config(c);
      ADD_FAILURE() << words << " passed";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(words));
    }
  }
}

}  // namespace
}  // namespace colonnade
