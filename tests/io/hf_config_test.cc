#include "colonnade/io/hf_config.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HfConfig config() {
  return {R"({"hidden_size": 576, "rms_norm_eps": 1e-05, "rope_theta": 10000, "tie": true,
      "model_type": "llama", "head_dim": null, "eos_token_id": [2, 3], "bos_token_id": 1,
      "architectures": ["LlamaForCausalLM"], "factors": [1, 2.5],
      "rope_scaling": {"type": "yarn", "factor": 4.0, "inner": {"a": 1}},
      "templates": [{"name": "default"}, {"name": "tools"}]})",
          "m/config.json"};
}

TEST(HfConfig, ReadsFieldsByTheirTypes) {
  const HfConfig c = config();
  EXPECT_EQ(c.integer("hidden_size"), 576);
  EXPECT_EQ(c.number("rms_norm_eps"), 1e-5);
  EXPECT_EQ(c.number("rope_theta"), 10000.0);
  EXPECT_TRUE(c.flag("tie"));
  EXPECT_EQ(c.text("model_type"), "llama");
  EXPECT_EQ(c.object("rope_scaling").number("factor"), 4.0);
  EXPECT_EQ(c.object("rope_scaling").object("inner").integer("a"), 1);
  EXPECT_THAT(c.object("rope_scaling").names(), ElementsAre("factor", "inner", "type"));
}

TEST(HfConfig, AFieldThatIsNullIsAbsent) {
  const HfConfig c = config();
  for (const char* name : {"head_dim", "none"}) {
    EXPECT_FALSE(c.has(name));
    EXPECT_EQ(c.integer_or(name, 64), 64);
    EXPECT_EQ(c.number_or(name, 0.5), 0.5);
    EXPECT_TRUE(c.flag_or(name, true));
    EXPECT_EQ(c.text_or(name, "x"), "x");
    EXPECT_THAT(c.integers(name), IsEmpty());
    EXPECT_THAT(c.objects(name), IsEmpty());
    EXPECT_THAT(c.object_or_empty(name).names(), IsEmpty());
    EXPECT_FALSE(c.is_number(name) || c.is_text(name) || c.is_object(name) || c.is_list(name) ||
                 c.is_flag(name));
  }
}

TEST(HfConfig, OneValueMayStandForAList) {
  const HfConfig c = config();
  EXPECT_THAT(c.integers("eos_token_id"), ElementsAre(2, 3));
  EXPECT_THAT(c.integers("bos_token_id"), ElementsAre(1));
  EXPECT_THAT(c.numbers("factors"), ElementsAre(1.0, 2.5));
  EXPECT_THAT(c.texts("architectures"), ElementsAre("LlamaForCausalLM"));
  EXPECT_THAT(c.texts("model_type"), ElementsAre("llama"));
  ASSERT_EQ(c.objects("templates").size(), 2U);
  EXPECT_EQ(c.objects("templates")[1].text("name"), "tools");
}

TEST(HfConfig, SaysWhatAFieldIs) {
  const HfConfig c = config();
  EXPECT_TRUE(c.is_number("hidden_size") && c.is_text("model_type") && c.is_flag("tie") &&
              c.is_list("eos_token_id") && c.is_object("rope_scaling"));
  EXPECT_FALSE(c.is_number("tie") || c.is_text("hidden_size") || c.is_flag("factors") ||
               c.is_list("rope_scaling") || c.is_object("factors"));
}

TEST(HfConfig, AnObjectOutlivesTheConfigThatItCameFrom) {
  const HfConfig inner = config().object("rope_scaling").object("inner");
  EXPECT_EQ(inner.integer("a"), 1);
}

TEST(HfConfig, DefaultsStandForWhatIsNotMentionedAtAll) {
  const HfConfig c =
      config()
          .with_defaults(R"({"hidden_size": 1, "head_dim": 2, "new": 3, "more": {"a": [4]}})")
          .with_defaults(R"({"new": 5, "last": 6})");
  EXPECT_EQ(c.integer("hidden_size"), 576);
  EXPECT_FALSE(c.has("head_dim"));  // null
  EXPECT_EQ(c.integer("new"), 3);
  EXPECT_EQ(c.integer("last"), 6);
  EXPECT_EQ(c.object("more").integers("a").front(), 4);
  EXPECT_FALSE(config().has("new"));
}

TEST(HfConfig, NamesFileAndFieldOfWhatIsWrong) {
  const std::pair<std::function<void(const HfConfig&)>, std::string> kCases[] = {
      {[](const HfConfig& c) { c.integer("none"); }, "m/config.json: field 'none' is missing"},
      {[](const HfConfig& c) { c.integer("head_dim"); },
       "m/config.json: field 'head_dim' is missing"},
      {[](const HfConfig& c) { c.integer("rms_norm_eps"); },
       "m/config.json: rms_norm_eps: expected an integer of 64 bits, got 1e-05"},
      {[](const HfConfig& c) { c.integer_or("model_type", 1); },
       "m/config.json: model_type: expected an integer of 64 bits, got 'llama'"},
      {[](const HfConfig& c) { c.number("tie"); },
       "m/config.json: tie: expected a number, got true"},
      {[](const HfConfig& c) { c.flag("hidden_size"); },
       "m/config.json: hidden_size: expected true or false, got 576"},
      {[](const HfConfig& c) { c.text("rope_scaling"); },
       "m/config.json: rope_scaling: expected a text, got an object"},
      {[](const HfConfig& c) { c.object("factors"); },
       "m/config.json: factors: expected an object, got a list of 2"},
      {[](const HfConfig& c) { c.object("rope_scaling").integer("type"); },
       "m/config.json: rope_scaling.type: expected an integer of 64 bits, got 'yarn'"},
      {[](const HfConfig& c) { c.object("rope_scaling").number("none"); },
       "m/config.json: rope_scaling: field 'none' is missing"},
      {[](const HfConfig& c) { c.object_or_empty("none").number("factor"); },
       "m/config.json: none: field 'factor' is missing"},
      {[](const HfConfig& c) { c.integers("factors"); },
       "m/config.json: factors[1]: expected an integer of 64 bits, got 2.5"},
      {[](const HfConfig& c) { c.texts("eos_token_id"); },
       "m/config.json: eos_token_id[0]: expected a text, got 2"},
      {[](const HfConfig& c) { c.objects("factors"); },
       "m/config.json: factors[0]: expected an object, got 1"},
      {[](const HfConfig& c) { c.objects("tie"); },
       "m/config.json: tie: expected a list, got true"},
      {[](const HfConfig& c) { c.object("rope_scaling").refuse("type", "linear or yarn"); },
       "m/config.json: rope_scaling.type: expected linear or yarn, got 'yarn'"},
      {[](const HfConfig&) { HfConfig("[1]", "x.json"); },
       "x.json: expected an object, got a list of 1"},
  };
  for (const auto& [read, expected] : kCases) {
    try {
      read(config());
      ADD_FAILURE() << "accepted: " << expected;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), expected);
    }
  }
}

}  // namespace
}  // namespace colonnade
