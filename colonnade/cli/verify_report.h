// What colonnade verify has found out, and how it shows it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "colonnade/api/replay.h"
#include "colonnade/api/verify.h"

namespace colonnade::cli {

/// Ranks against one rank.
struct VerifyReport {
  std::string path;
  int ranks = 1;
  int64_t vocab = 0;
  std::array<std::string, 2> devices;  // of the ranks, and of the one
  struct Part {
    Tier precision = Tier::int8;
    DType cache = DType::bf16;
    std::vector<PromptVerdict> verdicts;
  };
  std::vector<Part> parts;

  bool pass() const;
};

/// What the prompts of one precision gave: a line each, more where bits differ.
std::string verify_lines(const VerifyReport& report, const VerifyReport::Part& part);
/// "pass: 3 ranks have the bits of one (...)" or "fail: ..."
std::string verify_summary(const VerifyReport& report);
nlohmann::ordered_json verify_json(const VerifyReport& report);

/// A receipt against this machine.
struct ReceiptReport {
  std::string receipt_path;
  std::string model_path;
  Receipt receipt;
  std::optional<Mismatch> mismatch;  // then nothing was computed
  int ranks = 1;
  int64_t vocab = 0;
  std::string device;
  Replay replay;

  bool pass() const { return !mismatch && !replay.difference; }
};

/// What the receipt says, one line.
std::string receipt_title(const ReceiptReport& report);
std::string receipt_summary(const ReceiptReport& report);
nlohmann::ordered_json receipt_json(const ReceiptReport& report);

}  // namespace colonnade::cli
