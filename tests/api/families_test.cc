// Shrunken models of every family against transformers' f64 logits (tools/make_family_golden.py
// made tests/data/families), and their GGUF form against their Hugging Face form.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/bits.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/api/session.h"

namespace colonnade::test {
namespace {

using nlohmann::json;

const std::filesystem::path kFamilies = std::filesystem::path(COLONNADE_TEST_DATA) / "families";

json golden_of(const std::string& name) {
  std::ifstream in(kFamilies / name / "golden.json");
  return json::parse(in);
}

struct Evaluation {
  std::string model;
  Tier tier = Tier::f32;
  int threads = 2;
  int64_t chunk = 512;
  int ranks = 1;
};

/// Logits [T * V] of every position of a text.
std::vector<float> logits_of(const Evaluation& run, const std::vector<int32_t>& ids) {
  SessionOptions options;
  options.model = run.model;
  options.precision = run.tier;
  options.threads = run.threads;
  options.ranks = run.ranks;
  options.chunk = run.chunk;
  options.context = static_cast<int64_t>(ids.size());  // of longrope: the length decides
  Session session(options);
  std::vector<float> all;
  session.generator().evaluate(ids, 0, [&](int64_t, std::span<const float> logits) {
    all.insert(all.end(), logits.begin(), logits.end());
  });
  return all;
}

/// Largest |logit - reference| over the positions that the golden data has of a prompt.
double largest_error(const json& prompt, const std::vector<float>& logits) {
  double most = 0;
  for (size_t p = 0; p < prompt["positions"].size(); ++p) {
    const auto expected = prompt["logits"][p].get<std::vector<double>>();
    const size_t row = prompt["positions"][p].get<size_t>() * expected.size();
    for (size_t i = 0; i < expected.size(); ++i) {
      most = std::max(most, std::abs(static_cast<double>(logits.at(row + i)) - expected[i]));
    }
  }
  return most;
}

/// The forms in which a model lies in its folder: the Hugging Face folder and, for some, a GGUF
/// file.
std::vector<std::string> forms_of(const std::string& name) {
  std::vector<std::string> forms = {(kFamilies / name).string()};
  const std::filesystem::path gguf = kFamilies / name / "model.gguf";
  if (std::filesystem::exists(gguf)) forms.push_back(gguf.string());
  return forms;
}

class Families : public testing::TestWithParam<const char*> {};

TEST_P(Families, TierF32GivesTheLogitsOfTheF64Reference) {
  const json golden = golden_of(GetParam());
  for (const std::string& form : forms_of(GetParam())) {
    for (const json& prompt : golden["prompts"]) {
      const auto ids = prompt["ids"].get<std::vector<int32_t>>();
      EXPECT_LT(largest_error(prompt, logits_of({.model = form}, ids)), 1e-3)
          << form << ", " << ids.size() << " tokens";
    }
  }
}

TEST_P(Families, ChunksThreadsAndFormsChangeNoBit) {
  const json last = golden_of(GetParam())["prompts"].back();
  const auto ids = last["ids"].get<std::vector<int32_t>>();
  for (const Tier tier : {Tier::int8, Tier::int15, Tier::f32}) {
    Evaluation run{.model = forms_of(GetParam()).front(), .tier = tier};
    const std::vector<float> expected = logits_of(run, ids);
    run.threads = 1;
    for (const int64_t chunk : {1, 7, 64}) {
      run.chunk = chunk;
      EXPECT_TRUE(same_bits(logits_of(run, ids), expected))
          << name_of(tier) << ", chunks of " << chunk;
    }
    run.model = forms_of(GetParam()).back();
    EXPECT_TRUE(same_bits(logits_of(run, ids), expected)) << name_of(tier) << ", " << run.model;
  }
}

TEST_P(Families, RanksChangeNoBit) {
  const json last = golden_of(GetParam())["prompts"].back();
  const auto ids = last["ids"].get<std::vector<int32_t>>();
  Evaluation run{.model = forms_of(GetParam()).front(), .tier = Tier::int8, .threads = 1};
  const std::vector<float> expected = logits_of(run, ids);
  for (const int ranks : {2, 3}) {
    run.ranks = ranks;
    run.chunk = ranks == 2 ? 512 : 33;
    EXPECT_TRUE(same_bits(logits_of(run, ids), expected)) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Families,
                         testing::Values("llama", "llama_scaled", "llama_biases", "llama_yarn",
                                         "llama_mlx4", "llama_mlx_mixed", "llama_mlx_nvfp4",
                                         "llama_mlx_floats", "mistral", "qwen2", "qwen2_window",
                                         "qwen3", "gemma2", "gemma2_plain", "gemma3",
                                         "gemma3_plain", "gemma3_linear", "gemma3_images", "opt",
                                         "opt_post_norm", "gpt2", "gpt2_bare", "bloom",
                                         "bloom_6_heads", "phi3", "phi3_longrope", "qwen3_moe",
                                         "qwen3_moe_mixed", "gpt_oss", "gpt_oss_mxfp4"));

}  // namespace
}  // namespace colonnade::test
