#include "colonnade/api/receipt.h"

#include <limits>
#include <string>

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/base/sha256.h"
#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

std::string digest_of(std::string_view text) { return sha256_of(std::as_bytes(std::span(text))); }

Receipt example() {
  Receipt receipt;
  receipt.architecture = "llama";
  receipt.files = {{"a.gguf", 17, digest_of("a")}};
  receipt.precision = Tier::int15;
  receipt.cache = DType::f32;
  receipt.prompt = {5, 0, 7};
  receipt.sampling.temperature = 0.8F;
  receipt.sampling.top_p = 0.1F + 0.2F;  // no short decimal
  receipt.sampling.top_k = -1;
  receipt.sampling.seed = std::numeric_limits<uint64_t>::max();
  receipt.sampling.logit_bias = {{3, -1.5F}, {4, -std::numeric_limits<float>::infinity()}};
  receipt.choice = 2;
  receipt.steps = {{9, digest_of("b")}, {1, digest_of("c")}};
  receipt.ran_on = {"0.1.0", 3, {3, 1, 2}, 6, "3 ranks: cpu scalar"};
  return receipt;
}

std::string refusal(std::string_view text) {
  try {
    read_receipt(text, "r.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

/// What is refused of the example once `change` was at it.
std::string refusal_of(const std::function<void(json&)>& change) {
  json all = json::parse(write_receipt(example()));
  change(all);
  return refusal(all.dump());
}

TEST(Receipt, WhatIsWrittenIsReadAgain) {
  const Receipt receipt = example();
  const Receipt again = read_receipt(write_receipt(receipt), "r.json");
  EXPECT_EQ(write_receipt(again), write_receipt(receipt));
  EXPECT_EQ(again.numerics, kNumericsVersion);
  EXPECT_EQ(again.files.front().sha256, receipt.files.front().sha256);
  EXPECT_EQ(again.precision, Tier::int15);
  EXPECT_EQ(again.cache, DType::f32);
  EXPECT_EQ(again.prompt, receipt.prompt);
  EXPECT_EQ(again.sampling.temperature, receipt.sampling.temperature);
  EXPECT_EQ(again.sampling.top_p, receipt.sampling.top_p);
  EXPECT_EQ(again.sampling.seed, receipt.sampling.seed);
  EXPECT_EQ(again.sampling.logit_bias, receipt.sampling.logit_bias);
  EXPECT_EQ(again.choice, 2);
  EXPECT_EQ(again.steps[1].token, 1);
  EXPECT_EQ(again.steps[1].logits_sha256, receipt.steps[1].logits_sha256);
  EXPECT_EQ(again.ran_on.shares, receipt.ran_on.shares);
}

TEST(Receipt, NumbersAreWrittenAsAPersonWould) {
  const json all = json::parse(write_receipt(example()));
  EXPECT_EQ(all["sampling"]["temperature"].dump(), "0.8");
}

TEST(Receipt, ItsRequestAsksForTheSameAnswer) {
  const Receipt receipt = example();
  const GenerationRequest request = receipt.request();
  EXPECT_EQ(request.prompt, receipt.prompt);
  EXPECT_EQ(request.sampling.seed, receipt.sampling.seed);
  EXPECT_EQ(request.choice, 2);
  EXPECT_EQ(request.stop.max_tokens, 2);
  EXPECT_TRUE(request.ignore_stop_tokens);
  EXPECT_TRUE(request.wants_logits);
}

TEST(Receipt, NothingGeneratedIsNoReceipt) {
  Receipt receipt = example();
  receipt.steps.clear();
  EXPECT_THROW(write_receipt(receipt), Error);
}

TEST(Receipt, WhatIsNoReceiptIsRefused) {
  EXPECT_THAT(refusal(""), StartsWith("r.json: expected JSON"));
  EXPECT_THAT(refusal("GGUF"), StartsWith("r.json: expected JSON"));
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("levels deep"));
  EXPECT_THAT(refusal("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("'format' is missing"));
  const std::string text = write_receipt(example());
  for (size_t size = 0; size + 1 < text.size(); ++size)  // the last byte is a line's end
    EXPECT_THAT(refusal(text.substr(0, size)), StartsWith("r.json: ")) << size;
}

TEST(Receipt, AnotherFormatOrVersionIsNamed) {
  EXPECT_THAT(refusal_of([](json& r) { r["format"] = "invoice"; }),
              HasSubstr("format: expected 'colonnade receipt', got 'invoice'"));
  EXPECT_THAT(refusal_of([](json& r) { r["format_version"] = 2; }),
              HasSubstr("format_version: expected 1"));
  // Before anything else, which a later version may have otherwise.
  EXPECT_THAT(refusal(R"({"format": "colonnade receipt", "format_version": 2, "more": 1})"),
              HasSubstr("format_version: expected 1"));
}

TEST(Receipt, EveryFieldIsNeeded) {
  const json all = json::parse(write_receipt(example()));
  for (const auto& [name, value] : all.items()) {
    EXPECT_THAT(refusal_of([&, key = name](json& r) { r.erase(key); }),
                HasSubstr("'" + name + "' is missing"));
    if (!value.is_object()) continue;
    for (const auto& [inner, ignored] : value.items()) {
      EXPECT_THAT(refusal_of([&, key = name, field = inner](json& r) { r[key].erase(field); }),
                  HasSubstr("r.json: " + name + ": field '" + inner + "' is missing"));
    }
  }
}

TEST(Receipt, FieldsOfAnotherTypeAreNamed) {
  const json all = json::parse(write_receipt(example()));
  for (const auto& [name, value] : all.items()) {
    EXPECT_THAT(refusal_of([&, key = name](json& r) { r[key] = true; }),
                StartsWith("r.json: " + name + ": expected"));
    if (!value.is_object()) continue;
    for (const auto& [inner, ignored] : value.items()) {
      EXPECT_THAT(refusal_of([&, key = name, field = inner](json& r) { r[key][field] = true; }),
                  StartsWith("r.json: " + name + "." + inner + ": expected"));
    }
  }
}

TEST(Receipt, ValuesOutOfRangeAreNamed) {
  const std::string digest = digest_of("a");
  const std::pair<std::function<void(json&)>, std::string> kCases[] = {
      {[](json& r) { r["extra"] = 1; }, "r.json: unknown field 'extra'"},
      {[](json& r) { r["sampling"]["temprature"] = 1; }, "sampling: unknown field 'temprature'"},
      {[](json& r) { r["numerics"] = 0; }, "numerics: expected an integer from 1"},
      {[](json& r) { r["precision"] = "int4"; }, "precision: expected int8 or int15 or f32"},
      {[](json& r) { r["cache_type"] = "f16"; }, "cache_type: expected bf16 or f32"},
      {[](json& r) { r["prompt_ids"] = json::array(); }, "prompt_ids: expected at least one"},
      {[](json& r) { r["prompt_ids"][1] = -1; }, "prompt_ids[1]: expected an integer from 0"},
      {[](json& r) { r["prompt_ids"][1] = 1.5; }, "prompt_ids[1]: expected an integer from 0"},
      {[](json& r) { r["prompt_ids"][1] = uint64_t{1} << 40; }, "prompt_ids[1]: expected"},
      {[](json& r) { r["steps"] = json::array(); }, "steps: expected at least one"},
      {[](json& r) { r["steps"][1] = 3; }, "steps[1]: expected an object"},
      {[](json& r) { r["steps"][0]["logits_sha256"] = "00"; },
       "steps[0].logits_sha256: expected 64 hexadecimal digits"},
      {[](json& r) { r["model"]["files"] = json::array(); }, "model.files: expected at least one"},
      {[](json& r) { r["model"]["files"][0]["name"] = "../a"; }, "model.files[0].name: expected"},
      {[](json& r) { r["model"]["files"][0]["bytes"] = 0; }, "model.files[0].bytes: expected"},
      {[](json& r) { r["sampling"]["temperature"] = -1; }, "sampling.temperature: expected 0"},
      {[](json& r) { r["sampling"]["temperature"] = 1e300; }, "sampling.temperature: expected"},
      {[](json& r) { r["sampling"]["top_p"] = nullptr; }, "sampling.top_p: expected a number"},
      {[](json& r) { r["sampling"]["seed"] = -1; }, "sampling.seed: expected an integer from 0"},
      {[](json& r) { r["sampling"]["logit_bias"][0]["bias"] = "always"; },
       "sampling.logit_bias[0].bias: expected a number or 'never'"},
      {[](json& r) { r["ran_on"]["ranks"] = 0; }, "ran_on.ranks: expected an integer from 1"}};
  for (const auto& [change, message] : kCases) EXPECT_THAT(refusal_of(change), HasSubstr(message));
}

TEST(Receipt, AMillionEntriesAreReadOrRefusedLikeFew) {
  EXPECT_EQ(refusal_of([](json& r) { r["prompt_ids"] = std::vector<int>(1'000'000, 3); }),
            "nothing");  // whether it fits is the model's to say
  EXPECT_THAT(refusal_of([](json& r) { r["steps"] = std::vector<int>(1'000'000, 3); }),
              HasSubstr("steps[0]: expected an object"));
}

TEST(Receipt, FilesAreDigestedWhole) {
  const test::TemporaryFolder folder;
  const std::string bytes = test::tiny_model({});
  const GgufFile model(folder.write("tiny.gguf", bytes));
  int64_t seen = 0;
  const std::vector<FileDigest> files = digest_files(model.files(), [&](int64_t done, int64_t all) {
    EXPECT_EQ(all, static_cast<int64_t>(bytes.size()));
    seen = done;
  });
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "tiny.gguf");
  EXPECT_EQ(files[0].sha256, digest_of(bytes));
  EXPECT_EQ(seen, files[0].bytes);
}

std::string shard(uint16_t number) {
  test::GgufBuilder builder;
  builder.add("split.no", 2, test::le(number)).add("split.count", 2, test::le<uint16_t>(2));
  builder.add_tensor(concat("tensor", number), {4}, 0, std::string(16, 'x'));
  return builder.bytes();
}

TEST(Receipt, EveryShardOfAModelHasItsDigest) {
  const test::TemporaryFolder folder;
  const std::string second = shard(1);
  folder.write("m-00002-of-00002.gguf", second);
  const GgufFile model(folder.write("m-00001-of-00002.gguf", shard(0)));
  int64_t seen = 0;
  const std::vector<FileDigest> files =
      digest_files(model.files(), [&](int64_t done, int64_t) { seen = done; });
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[1].name, "m-00002-of-00002.gguf");
  EXPECT_EQ(files[1].sha256, digest_of(second));
  EXPECT_EQ(seen, files[0].bytes + files[1].bytes);
}

}  // namespace
}  // namespace colonnade
