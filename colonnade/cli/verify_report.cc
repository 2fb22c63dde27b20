#include "colonnade/cli/verify_report.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/quote.h"

namespace colonnade::cli {
namespace {

using nlohmann::ordered_json;

std::string count(int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

/// "0.8 (0x3f4ccccd)": as many digits as tell it from its neighbours, and its bits.
std::string float_text(float value) {
  return fmt::format("{} (0x{:08x})", value, std::bit_cast<uint32_t>(value));
}

std::string step_text(int64_t step) {
  return step == 0 ? "step 0 (behind the prompt)" : fmt::format("step {}", step);
}

std::string difference_text(const RunDifference& d, int ranks) {
  const std::string many = count(ranks, "rank");
  switch (d.in) {
    case RunDifference::In::logits:
      return fmt::format("{}: logit of token {}: {} with {}, {} with one; {} differ{}",
                         step_text(d.step), d.id, float_text(d.values[0]), many,
                         float_text(d.values[1]), count(d.differing, "logit"),
                         d.differing == 1 ? "s" : "");
    case RunDifference::In::choice:
      return fmt::format("{}: equal logits, but token {} was chosen with {}, {} with one",
                         step_text(d.step), d.chosen[0], many, d.chosen[1]);
    case RunDifference::In::length:
      break;
  }
  return fmt::format("{} with {}, {} with one", count(d.chosen[0], "step"), many,
                     count(d.chosen[1], "step"));
}

std::string origin_text(const PromptVerdict& verdict) {
  if (!verdict.repeated)
    return "when both ran again, they had the same bits: what differed does not come every time";
  if (!verdict.activation) return "every activation is the same; the head's logits are not";
  const ActivationRecord& a = *verdict.activation;
  return fmt::format("first activation that differs: {} (positions {} to {})", a.name,
                     a.first_position, a.first_position + a.rows - 1);
}

const char* kind_of(RunDifference::In in) {
  constexpr const char* kNames[] = {"logits", "choice", "length"};
  return kNames[static_cast<size_t>(in)];
}

ordered_json difference_json(const PromptVerdict& verdict) {
  if (!verdict.difference) return nullptr;
  const RunDifference& d = *verdict.difference;
  ordered_json json = {{"in", kind_of(d.in)}, {"step", d.step}};
  if (d.in == RunDifference::In::logits) {
    json["token"] = d.id;
    json["values"] = d.values;
    json["bits"] = {std::bit_cast<uint32_t>(d.values[0]), std::bit_cast<uint32_t>(d.values[1])};
    json["differing_logits"] = d.differing;
  }
  if (d.in == RunDifference::In::choice) json["chosen"] = d.chosen;
  if (d.in == RunDifference::In::length) json["steps"] = d.chosen;
  json["repeated"] = verdict.repeated;
  json["first_activation"] = nullptr;
  if (const auto& a = verdict.activation)
    json["first_activation"] = {
        {"name", a->name}, {"first_position", a->first_position}, {"positions", a->rows}};
  return json;
}

struct Totals {
  explicit Totals(const VerifyReport& report) {
    for (const VerifyReport::Part& part : report.parts) {
      for (const PromptVerdict& verdict : part.verdicts) {
        ++prompts;
        steps += verdict.steps;
        failed += verdict.difference ? 1 : 0;
      }
    }
  }
  int64_t prompts = 0;
  int64_t steps = 0;
  int64_t failed = 0;
};

std::string precisions_text(const VerifyReport& report) {
  std::string names;
  for (const VerifyReport::Part& part : report.parts)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(part.precision));
  return names;
}

}  // namespace

bool VerifyReport::pass() const { return Totals(*this).failed == 0; }

std::string verify_lines(const VerifyReport& report, const VerifyReport::Part& part) {
  std::string page;
  for (const PromptVerdict& verdict : part.verdicts) {
    page += fmt::format("{:<6} {}: {}, {}: {}\n", name_of(part.precision), verdict.prompt,
                        count(verdict.prompt_tokens, "token"), count(verdict.steps, "step"),
                        verdict.difference ? "FAIL" : "pass");
    if (!verdict.difference) continue;
    page += fmt::format("       {}\n       {}\n",
                        difference_text(*verdict.difference, report.ranks), origin_text(verdict));
  }
  return page;
}

std::string verify_summary(const VerifyReport& report) {
  const Totals totals(report);
  const std::string many = count(report.ranks, "rank");
  if (totals.failed > 0)
    return fmt::format("fail: {} {} not have the bits of one: {} of {} differ, see above", many,
                       report.ranks == 1 ? "does" : "do", totals.failed,
                       count(totals.prompts, "prompt"));
  return fmt::format("pass: {} {} the bits of one ({}; {}, {} of {} logits)", many,
                     report.ranks == 1 ? "has" : "have", precisions_text(report),
                     count(totals.prompts, "prompt"), count(totals.steps, "step"), report.vocab);
}

ordered_json verify_json(const VerifyReport& report) {
  ordered_json results = ordered_json::array();
  for (const VerifyReport::Part& part : report.parts) {
    for (const PromptVerdict& verdict : part.verdicts)
      results.push_back({{"precision", name_of(part.precision)},
                         {"cache_type", name_of(part.cache)},
                         {"prompt", verdict.prompt},
                         {"prompt_tokens", verdict.prompt_tokens},
                         {"steps", verdict.steps},
                         {"pass", !verdict.difference},
                         {"difference", difference_json(verdict)}});
  }
  return {{"pass", report.pass()}, {"model", report.path},      {"ranks", report.ranks},
          {"vocab", report.vocab}, {"devices", report.devices}, {"results", std::move(results)}};
}

std::string receipt_title(const ReceiptReport& report) {
  const Receipt& r = report.receipt;
  return fmt::format("{}: {}, {} with a {} cache, {} of prompt and {} of answer; made on {}{}",
                     report.receipt_path, quote(r.files.front().name), name_of(r.precision),
                     name_of(r.cache), count(static_cast<int64_t>(r.prompt.size()), "token"),
                     r.steps.size(), count(r.ran_on.ranks, "rank"),
                     r.ran_on.version.empty() ? "" : " by version " + quote(r.ran_on.version));
}

std::string receipt_summary(const ReceiptReport& report) {
  if (const auto& m = report.mismatch)
    return fmt::format("fail: {}: expected {}, got {}: {}", m->what, m->expected, m->got,
                       m->advice);
  if (const auto& d = report.replay.difference) {
    if (d->in == ReplayDifference::In::token)
      return fmt::format(
          "fail: {}: expected token {}, got {}; its logits and all before are those "
          "of the receipt",
          step_text(d->step), d->expected, d->got);
    return fmt::format(
        "fail: {}: expected logits with SHA-256 {}, got {}; {} before {} those of "
        "the receipt",
        step_text(d->step), d->expected, d->got, count(d->step, "step"),
        d->step == 1 ? "is" : "are");
  }
  return fmt::format(
      "pass: {} {} the bits of the receipt (weights and numerics, {} and the {} logits of each)",
      count(report.ranks, "rank"), report.ranks == 1 ? "gives" : "give",
      count(report.replay.steps, "token"), report.vocab);
}

ordered_json receipt_json(const ReceiptReport& report) {
  ordered_json failure = nullptr;
  if (const auto& m = report.mismatch)
    failure = {
        {"what", m->what}, {"expected", m->expected}, {"got", m->got}, {"advice", m->advice}};
  if (const auto& d = report.replay.difference)
    failure = {{"what", d->in == ReplayDifference::In::token ? "token" : "logits"},
               {"step", d->step},
               {"expected", d->expected},
               {"got", d->got}};
  return {{"pass", report.pass()},
          {"receipt", report.receipt_path},
          {"model", report.model_path},
          {"precision", name_of(report.receipt.precision)},
          {"cache_type", name_of(report.receipt.cache)},
          {"ranks", report.ranks},
          {"device", report.device},
          {"steps", report.receipt.steps.size()},
          {"equal_steps", report.replay.steps},
          {"failure", std::move(failure)}};
}

}  // namespace colonnade::cli
