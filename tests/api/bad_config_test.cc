// Hugging Face folders in which one field of config.json is wrong: the message names the file, the
// field and its value.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/api/model_files.h"
#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using ::testing::HasSubstr;

using Json = nlohmann::ordered_json;

/// A copy of tests/data/families/NAME whose config.json is changed.
class BadConfig : public ::testing::Test {
 protected:
  std::string message(const std::string& family, const std::string& field, const Json& value) {
    const std::filesystem::path from =
        std::filesystem::path(COLONNADE_TEST_DATA) / "families" / family;
    for (const auto& entry : std::filesystem::directory_iterator(from)) {
      if (family != family_ && entry.path().extension() != ".gguf")
        std::filesystem::copy(entry, folder_.path(),
                              std::filesystem::copy_options::overwrite_existing);
    }
    family_ = family;
    std::ifstream original(from / "config.json");
    Json config = Json::parse(original);
    config[Json::json_pointer(field)] = value;
    folder_.write("config.json", config.dump());
    try {
      const ModelFiles files(folder_.path());
      return "no error";
    } catch (const Error& error) {
      return error.what();
    }
  }

  static Json unchanged(const std::string& family, const std::string& field) {
    std::ifstream original(std::filesystem::path(COLONNADE_TEST_DATA) / "families" / family /
                           "config.json");
    return Json::parse(original)[Json::json_pointer(field)];
  }

  /// The file and the field with its path, but for what stands in a list.
  std::string named(std::string field) const {
    std::ranges::replace(field, '/', '.');
    return folder_.path() + "/config.json: " + field.substr(1);
  }

  /// The message's beginning: the field with its path.
  std::string place(std::string field) const {
    std::ranges::replace(field, '/', '.');
    return folder_.path() + "/config.json: " + field.substr(1) + ": expected ";
  }

  test::TemporaryFolder folder_;
  std::string family_;  // of which it is a copy
};

/// Values that no field of a kind may have.
const std::map<std::string, std::vector<Json>> kWrong = {
    {"size", {"x", -1, 0, 1.5, int64_t{1} << 40, 1e30, true, {{{"a", 1}}}, Json::object()}},
    {"count", {"x", -1, 0, 1.5, 1e30, true, {{{"a", 1}}}, Json::object()}},
    {"name", {1, true, {{{"a", 1}}}, Json::object()}},
    {"number", {"x", -1, 0, true, {{{"a", 1}}}, Json::object()}},
    {"cap", {"x", -1, true, {{{"a", 1}}}, Json::object()}},
    {"flag", {"x", 0, 1.5, {{{"a", 1}}}, Json::object()}},
    {"text", {"x", 1, true, {{{"a", 1}}}, Json::object()}},
    {"list", {"x", -1, true, {{{"a", 1}}}, Json::object()}},
    {"object", {"x", 1, true, {{{"a", 1}}}}},
};

struct Field {
  const char* kind;
  const char* pointer;
};

const std::map<std::string, std::vector<Field>> kFields = {
    {"llama",
     {{"name", "/model_type"},
      {"size", "/num_hidden_layers"},
      {"size", "/hidden_size"},
      {"size", "/intermediate_size"},
      {"size", "/vocab_size"},
      {"size", "/max_position_embeddings"},
      {"size", "/num_attention_heads"},
      {"size", "/num_key_value_heads"},
      {"size", "/head_dim"},
      {"flag", "/attention_bias"},
      {"number", "/rms_norm_eps"},
      {"text", "/hidden_act"},
      {"number", "/rope_theta"},
      {"object", "/rope_scaling"},
      {"flag", "/tie_word_embeddings"}}},
    {"llama_yarn",
     {{"object", "/rope_parameters"},
      {"number", "/rope_parameters/rope_theta"},
      {"text", "/rope_parameters/rope_type"},
      {"number", "/rope_parameters/factor"},
      {"size", "/rope_parameters/original_max_position_embeddings"},
      {"number", "/rope_parameters/beta_fast"},
      {"number", "/rope_parameters/beta_slow"},
      {"flag", "/rope_parameters/truncate"},
      {"number", "/rope_parameters/attention_factor"},
      {"cap", "/rope_parameters/mscale"},
      {"cap", "/rope_parameters/mscale_all_dim"}}},
    {"llama_scaled",
     {{"number", "/rope_scaling/low_freq_factor"},
      {"number", "/rope_scaling/high_freq_factor"},
      {"number", "/rope_scaling/factor"},
      {"size", "/rope_scaling/original_max_position_embeddings"}}},
    {"llama_mlx_mixed",
     {{"size", "/quantization/bits"},
      {"size", "/quantization/group_size"},
      {"text", "/quantization/mode"},
      {"size", "/quantization/model.layers.0.mlp.down_proj/bits"},
      {"size", "/quantization/model.layers.0.mlp.down_proj/group_size"},
      {"text", "/quantization/model.layers.0.mlp.down_proj/mode"}}},
    {"gpt_oss_mxfp4",
     {{"object", "/quantization_config"}, {"text", "/quantization_config/quant_method"}}},
    {"mistral", {{"size", "/sliding_window"}}},
    {"phi3_longrope",
     {{"list", "/rope_scaling/long_factor"},
      {"list", "/rope_scaling/short_factor"},
      {"number", "/rope_scaling/attention_factor"},
      {"number", "/partial_rotary_factor"},
      {"text", "/rope_scaling/type"},
      {"size", "/original_max_position_embeddings"}}},
    {"gemma2", {{"flag", "/use_bidirectional_attention"}}},
    {"gemma3",
     {{"number", "/query_pre_attn_scalar"},
      {"size", "/sliding_window"},
      {"size", "/sliding_window_pattern"},
      {"number", "/rope_local_base_freq"},
      {"cap", "/attn_logit_softcapping"},
      {"cap", "/final_logit_softcapping"},
      {"text", "/hidden_activation"},
      {"flag", "/use_bidirectional_attention"}}},
    {"gemma3_linear",
     {{"list", "/layer_types"},
      {"object", "/rope_parameters/full_attention"},
      {"object", "/rope_parameters/sliding_attention"},
      {"text", "/rope_parameters/sliding_attention/rope_type"},
      {"number", "/rope_parameters/sliding_attention/rope_theta"},
      {"number", "/rope_parameters/full_attention/rope_theta"}}},
    {"gemma3_images",
     {{"object", "/text_config"},
      {"name", "/text_config/model_type"},
      {"size", "/text_config/hidden_size"},
      {"number", "/text_config/rope_scaling/factor"},
      {"flag", "/tie_word_embeddings"}}},
    {"qwen2_window", {{"flag", "/use_sliding_window"}, {"cap", "/max_window_layers"}}},
    {"qwen3_moe",
     {{"size", "/num_local_experts"},
      {"size", "/num_experts_per_tok"},
      {"size", "/moe_intermediate_size"},
      {"flag", "/norm_topk_prob"},
      {"flag", "/use_sliding_window"},
      {"count", "/decoder_sparse_step"},
      {"list", "/mlp_only_layers"}}},
    {"opt",
     {{"size", "/ffn_dim"},
      {"flag", "/do_layer_norm_before"},
      {"flag", "/_remove_final_layer_norm"},
      {"flag", "/layer_norm_elementwise_affine"},
      {"size", "/word_embed_proj_dim"},
      {"text", "/activation_function"}}},
    {"gpt2",
     {{"size", "/n_layer"},
      {"size", "/n_embd"},
      {"size", "/n_head"},
      {"size", "/n_positions"},
      {"size", "/n_inner"},
      {"flag", "/scale_attn_weights"},
      {"flag", "/scale_attn_by_inverse_layer_idx"},
      {"flag", "/add_cross_attention"},
      {"number", "/layer_norm_epsilon"}}},
    {"bloom", {{"size", "/n_head"}, {"flag", "/apply_residual_connection_post_layernorm"}}},
    {"gpt_oss",
     {{"number", "/swiglu_limit"}, {"number", "/swiglu_alpha"}, {"flag", "/attention_bias"}}},
};

TEST_F(BadConfig, EveryFieldWithAValueThatItCannotHaveIsNamed) {
  for (const auto& [family, fields] : kFields) {
    EXPECT_EQ(message(family, fields.front().pointer, unchanged(family, fields.front().pointer)),
              "no error");
    for (const auto& [kind, pointer] : fields) {
      for (const Json& value : kWrong.at(kind)) {
        const std::string got = message(family, pointer, value);
        EXPECT_EQ(got.rfind(named(pointer), 0), 0U) << family << " " << value << ": " << got;
        EXPECT_TRUE(got.find(": expected ") != std::string::npos ||
                    got.find(" is missing") != std::string::npos)
            << got;
      }
    }
  }
}

TEST_F(BadConfig, EveryFieldThatMustBeThereIsMissed) {
  const std::map<std::string, std::vector<const char*>> fields = {
      {"llama",
       {"/model_type", "/num_hidden_layers", "/hidden_size", "/intermediate_size", "/vocab_size",
        "/num_attention_heads", "/rms_norm_eps"}},
      {"llama_scaled",
       {"/rope_scaling/factor", "/rope_scaling/low_freq_factor", "/rope_scaling/high_freq_factor"}},
      {"qwen3_moe", {"/num_local_experts", "/num_experts_per_tok", "/moe_intermediate_size"}},
      {"gpt_oss", {"/num_local_experts", "/rope_scaling"}},
      {"gemma3_images", {"/text_config"}},
  };
  for (const auto& [family, names] : fields) {
    for (const std::string name : names) {
      const std::string last = name.substr(name.rfind('/') + 1);
      EXPECT_THAT(message(family, name, nullptr), HasSubstr("field '" + last + "' is missing"));
    }
  }
}

TEST_F(BadConfig, EveryFieldOutOfItsRangeIsNamedWithItsValue) {
  const struct {
    const char* family;
    const char* field;
    Json value;
    const char* words;
  } cases[] = {
      {"llama", "/num_hidden_layers", 0, "1 to 10000, got 0"},
      {"llama", "/hidden_size", 1 << 25, "1 to 16777216, got 33554432"},
      {"llama", "/intermediate_size", -1, "1 to 16777216, got -1"},
      {"llama", "/vocab_size", 0, "1 to 16777216, got 0"},
      {"llama", "/max_position_embeddings", 0, "1 to 2147483648, got 0"},
      {"llama", "/num_attention_heads", 0, "1 to 65536, got 0"},
      {"llama", "/num_key_value_heads", 3, "a divisor of the 4 attention heads, got 3"},
      {"llama", "/num_key_value_heads", 5, "1 to 4, got 5"},
      {"llama", "/head_dim", 513, "1 to 512, got 513"},
      {"llama", "/rms_norm_eps", 0, "a value between 0 and 1, got 0"},
      {"llama", "/hidden_act", "mish", "silu, swish, gelu"},
      {"llama_yarn", "/rope_parameters/rope_theta", -1, "a positive number, got -1"},
      {"llama_yarn", "/rope_parameters/factor", 0, "a positive number, got 0"},
      {"llama_yarn", "/rope_parameters/beta_fast", 0, "a positive number, got 0"},
      {"llama_yarn", "/rope_parameters/rope_type", "twisted", "default, linear, llama3, yarn"},
      {"llama_scaled", "/rope_scaling/low_freq_factor", 0, "a positive number, got 0"},
      {"llama_scaled", "/rope_scaling/high_freq_factor", 1, "more than low_freq_factor, 1, got 1"},
      {"llama", "/head_dim", 15, "an even number, got 15"},
      {"phi3_longrope", "/original_max_position_embeddings", 1, "2 or more, got 1"},
      {"phi3_longrope", "/rope_scaling/type", "twisted", "default, linear, llama3, yarn"},
      {"gemma3_linear", "/rope_parameters/sliding_attention/rope_type", "linear", "default, got"},
      {"gemma3_images", "/text_config/head_dim", 513, "1 to 512, got 513"},
      {"qwen2_window", "/max_window_layers", -1, "0 or more, got -1"},
      {"qwen3_moe", "/mlp_only_layers", {2}, "layers from 0 to 1, got 2"},
      {"opt", "/word_embed_proj_dim", 0, "1 to 16777216, got 0"},
      {"phi3_longrope", "/partial_rotary_factor", 1.5, "at most 1, got 1.5"},
      {"phi3_longrope", "/partial_rotary_factor", 0.05, "an even number of the 16 elements"},
      {"phi3_longrope", "/rope_scaling/short_factor", {1, 2}, "6 numbers, got 2"},
      {"gemma3", "/query_pre_attn_scalar", 0, "a positive number, got 0"},
      {"gemma3", "/final_logit_softcapping", -3, "a positive number, got -3"},
      {"gemma3", "/layer_types", {"full_attention"}, "one for each of 3 layers, got 1"},
      {"gemma3", "/use_bidirectional_attention", true, "false: nothing else is supported"},
      {"qwen3_moe", "/num_local_experts", 5000, "1 to 4096, got 5000"},
      {"qwen3_moe", "/num_experts_per_tok", 9, "1 to 8, got 9"},
      {"qwen3_moe", "/moe_intermediate_size", 0, "1 to 16777216, got 0"},
      {"qwen3_moe", "/decoder_sparse_step", 0, "1 or more, got 0"},
      {"gpt2", "/layer_norm_epsilon", 2, "a value between 0 and 1, got 2"},
  };
  for (const auto& wrong : cases) {
    const std::string got = message(wrong.family, wrong.field, wrong.value);
    EXPECT_THAT(got, HasSubstr(place(wrong.field) + wrong.words)) << wrong.family;
  }
}

TEST_F(BadConfig, AnUnknownModelTypeIsNamedWithTheKnownOnes) {
  EXPECT_THAT(message("llama", "/model_type", "mamba"),
              testing::AllOf(HasSubstr("/config.json: model: model_type 'mamba' is not supported"),
                             HasSubstr("qwen3_moe")));
}

}  // namespace
}  // namespace colonnade
