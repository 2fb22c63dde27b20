#include "colonnade/cli/verify_report.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace colonnade::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using In = RunDifference::In;

PromptVerdict passing(const std::string& name) {
  PromptVerdict verdict;
  verdict.prompt = name;
  verdict.prompt_tokens = 65;
  verdict.steps = 16;
  return verdict;
}

PromptVerdict failing(const RunDifference& difference) {
  PromptVerdict verdict = passing("built-in 2");
  verdict.difference = difference;
  verdict.activation = {"blk.3.attention", 128, 64, "digest"};
  verdict.repeated = true;
  return verdict;
}

VerifyReport report_of(std::vector<PromptVerdict> verdicts) {
  VerifyReport report;
  report.path = "m.gguf";
  report.ranks = 3;
  report.vocab = 640;
  report.devices = {"3 ranks", "one"};
  report.parts = {{Tier::int8, DType::bf16, std::move(verdicts)},
                  {Tier::f32, DType::f32, {passing("built-in 1")}}};
  return report;
}

RunDifference logits_difference() {
  RunDifference difference;
  difference.step = 5;
  difference.id = 17;
  difference.values = {std::nextafter(1.25F, 2.0F), 1.25F};
  difference.differing = 3;
  return difference;
}

TEST(VerifyReport, EqualBitsPass) {
  const VerifyReport report = report_of({passing("built-in 1"), passing("built-in 2")});
  EXPECT_TRUE(report.pass());
  EXPECT_EQ(verify_lines(report, report.parts[0]),
            "int8   built-in 1: 65 tokens, 16 steps: pass\n"
            "int8   built-in 2: 65 tokens, 16 steps: pass\n");
  EXPECT_EQ(verify_summary(report),
            "pass: 3 ranks have the bits of one (int8, f32; 3 prompts, 48 steps of 640 logits)");
  EXPECT_TRUE(verify_json(report)["pass"].get<bool>());
}

TEST(VerifyReport, ADifferenceNamesStepTokenBothValuesAndActivation) {
  const VerifyReport report = report_of({passing("built-in 1"), failing(logits_difference())});
  EXPECT_FALSE(report.pass());
  EXPECT_EQ(verify_lines(report, report.parts[0]),
            "int8   built-in 1: 65 tokens, 16 steps: pass\n"
            "int8   built-in 2: 65 tokens, 16 steps: FAIL\n"
            "       step 5: logit of token 17: 1.2500001 (0x3fa00001) with 3 ranks, 1.25 "
            "(0x3fa00000) with one; 3 logits differ\n"
            "       first activation that differs: blk.3.attention (positions 128 to 191)\n");
  EXPECT_EQ(verify_summary(report),
            "fail: 3 ranks do not have the bits of one: 1 of 3 prompts differ, see above");
}

TEST(VerifyReport, ADifferenceIsInTheObjectToo) {
  const nlohmann::ordered_json json = verify_json(report_of({failing(logits_difference())}));
  EXPECT_FALSE(json["pass"].get<bool>());
  const nlohmann::ordered_json& result = json["results"][0];
  EXPECT_EQ(result["precision"], "int8");
  EXPECT_FALSE(result["pass"].get<bool>());
  const nlohmann::ordered_json& difference = result["difference"];
  EXPECT_EQ(difference["step"], 5);
  EXPECT_EQ(difference["token"], 17);
  EXPECT_EQ(difference["bits"].dump(), "[1067450369,1067450368]");
  EXPECT_EQ(difference["differing_logits"], 3);
  EXPECT_EQ(difference["first_activation"]["name"], "blk.3.attention");
  EXPECT_TRUE(json["results"][1]["difference"].is_null());
}

TEST(VerifyReport, OtherDifferencesAreSaidInTheirWords) {
  const auto lines = [](const PromptVerdict& verdict) {
    const VerifyReport report = report_of({verdict});
    return verify_lines(report, report.parts[0]);
  };
  RunDifference choice;
  choice.in = In::choice;
  choice.chosen = {7, 9};
  EXPECT_THAT(lines(failing(choice)),
              HasSubstr("step 0 (behind the prompt): equal logits, but token 7 was chosen with 3 "
                        "ranks, 9 with one"));
  RunDifference length;
  length.in = In::length;
  length.chosen = {1, 16};
  EXPECT_THAT(lines(failing(length)), HasSubstr("1 step with 3 ranks, 16 steps with one"));
  PromptVerdict verdict = failing(choice);
  verdict.activation.reset();
  EXPECT_THAT(lines(verdict), HasSubstr("every activation is the same"));
  verdict.repeated = false;
  EXPECT_THAT(lines(verdict), HasSubstr("does not come every time"));
}

ReceiptReport receipt_report() {
  ReceiptReport report;
  report.receipt_path = "r.json";
  report.model_path = "m.gguf";
  report.receipt.files = {{"m.gguf", 7, "digest"}};
  report.receipt.prompt = {1, 2};
  report.receipt.steps.resize(4);
  report.receipt.ran_on.ranks = 3;
  report.receipt.ran_on.version = "0.1.0\x1b[2J";
  report.vocab = 640;
  report.replay.steps = 4;
  return report;
}

TEST(ReceiptReport, EqualBitsPass) {
  const ReceiptReport report = receipt_report();
  EXPECT_TRUE(report.pass());
  EXPECT_EQ(receipt_summary(report),
            "pass: 1 rank gives the bits of the receipt (weights and numerics, 4 tokens and the "
            "640 logits of each)");
  EXPECT_TRUE(receipt_json(report)["failure"].is_null());
}

TEST(ReceiptReport, WhatAStrangerWroteCannotSteerTheTerminal) {
  EXPECT_THAT(receipt_title(receipt_report()), EndsWith("by version '0.1.0\\x1b[2J'"));
}

TEST(ReceiptReport, TheStepThatDiffersIsNamed) {
  ReceiptReport report = receipt_report();
  report.replay.steps = 2;
  report.replay.difference = {2, ReplayDifference::In::token, "5", "6"};
  EXPECT_FALSE(report.pass());
  EXPECT_THAT(receipt_summary(report), StartsWith("fail: step 2: expected token 5, got 6"));
  EXPECT_EQ(receipt_json(report)["failure"]["what"], "token");
  report.replay.difference->in = ReplayDifference::In::logits;
  EXPECT_THAT(
      receipt_summary(report),
      StartsWith("fail: step 2: expected logits with SHA-256 5, got 6; 2 steps before are"));
  EXPECT_EQ(receipt_json(report)["failure"]["step"], 2);
  EXPECT_EQ(receipt_json(report)["equal_steps"], 2);
}

TEST(ReceiptReport, AMismatchSaysWhatToDo) {
  ReceiptReport report = receipt_report();
  report.mismatch = {"weights", "a", "b", "take the other file"};
  EXPECT_FALSE(report.pass());
  EXPECT_EQ(receipt_summary(report), "fail: weights: expected a, got b: take the other file");
  EXPECT_EQ(receipt_json(report)["failure"]["advice"], "take the other file");
}

}  // namespace
}  // namespace colonnade::cli
