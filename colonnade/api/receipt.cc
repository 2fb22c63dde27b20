#include "colonnade/api/receipt.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/base/json.h"
#include "colonnade/base/json_value.h"
#include "colonnade/base/sha256.h"

namespace colonnade {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFormat = "colonnade receipt";
constexpr int64_t kMostId = std::numeric_limits<int32_t>::max();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr const char* kNever = "never";  // a bias of -infinity, which JSON does not have
constexpr Tier kTiers[] = {Tier::int8, Tier::int15, Tier::f32};
constexpr DType kCaches[] = {DType::bf16, DType::f32};

/// The double with the fewest digits that becomes `value`: 0.8 and not 0.800000011920929.
double shortest(float value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  double wide = value;
  if (error == std::errc()) std::from_chars(text, end, wide);
  return static_cast<float>(wide) == value ? wide : double{value};
}

ordered_json bias_json(const SamplingOptions& o) {
  ordered_json list = ordered_json::array();
  for (const auto& [id, bias] : o.logit_bias) {
    ordered_json one = {{"token", id}, {"bias", kNever}};
    if (std::isfinite(bias)) one["bias"] = shortest(bias);
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json sampling_json(const Receipt& receipt) {
  const SamplingOptions& o = receipt.sampling;
  return {{"temperature", shortest(o.temperature)},
          {"top_k", o.top_k},
          {"top_p", shortest(o.top_p)},
          {"min_p", shortest(o.min_p)},
          {"repetition_penalty", shortest(o.repetition_penalty)},
          {"presence_penalty", shortest(o.presence_penalty)},
          {"frequency_penalty", shortest(o.frequency_penalty)},
          {"repeat_last_n", o.repeat_last_n},
          {"logit_bias", bias_json(o)},
          {"seed", o.seed.value_or(0)},
          {"choice", receipt.choice}};
}

ordered_json model_json(const Receipt& receipt) {
  ordered_json files = ordered_json::array();
  for (const FileDigest& file : receipt.files)
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  return {{"architecture", receipt.architecture}, {"files", std::move(files)}};
}

ordered_json ran_on_json(const RanOn& r) {
  return {{"version", r.version},
          {"ranks", r.ranks},
          {"shares", r.shares},
          {"threads", r.threads},
          {"device", r.device}};
}

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// A name of this list, by which it is known.
template <typename T, size_t N>
T one_of(const T (&values)[N], const JsonValue& json) {
  std::string names;
  for (const T value : values) {
    if (json.text() == name_of(value)) return value;
    names += names.empty() ? "" : " or ";
    names += name_of(value);
  }
  json.refuse(names);
}

std::string sha256_in(const JsonValue& json) {
  if (!is_sha256(json.text())) json.refuse("64 hexadecimal digits");
  return json.text();
}

FileDigest read_file(const JsonValue& json) {
  json.check_fields({"name", "bytes", "sha256"});
  const JsonValue name = json.field("name");
  if (name.text().empty() ||
      name.text().find_first_of(std::string_view("/\0", 2)) != std::string::npos)
    name.refuse("the name of a file without its folder");
  return {name.text(), json.field("bytes").integer(1, kMost), sha256_in(json.field("sha256"))};
}

void read_model(const JsonValue& json, Receipt& receipt) {
  json.check_fields({"architecture", "files"});
  receipt.architecture = json.field("architecture").text();
  const JsonValue files = json.field("files");
  for (size_t i = 0; i < files.size(); ++i) receipt.files.push_back(read_file(files.at(i)));
  if (receipt.files.empty()) files.refuse("at least one file");
}

std::pair<int32_t, float> read_bias(const JsonValue& json) {
  json.check_fields({"token", "bias"});
  const auto id = static_cast<int32_t>(json.field("token").integer(0, kMostId));
  const JsonValue bias = json.field("bias");
  if (bias.is_text()) {
    if (bias.text() != kNever) bias.refuse(concat("a number or '", kNever, "'"));
    return {id, -std::numeric_limits<float>::infinity()};
  }
  return {id, bias.real()};
}

SamplingOptions read_options(const JsonValue& json) {
  const auto count = [&](const char* name) {
    return static_cast<int32_t>(
        json.field(name).integer(std::numeric_limits<int32_t>::min(), kMostId));
  };
  SamplingOptions o;
  o.temperature = json.field("temperature").real();
  o.top_k = count("top_k");
  o.top_p = json.field("top_p").real();
  o.min_p = json.field("min_p").real();
  o.repetition_penalty = json.field("repetition_penalty").real();
  o.presence_penalty = json.field("presence_penalty").real();
  o.frequency_penalty = json.field("frequency_penalty").real();
  o.repeat_last_n = count("repeat_last_n");
  const JsonValue biases = json.field("logit_bias");
  for (size_t i = 0; i < biases.size(); ++i) o.logit_bias.push_back(read_bias(biases.at(i)));
  o.seed = json.field("seed").unsigned_integer();
  return o;
}

void read_sampling(const JsonValue& json, Receipt& receipt) {
  json.check_fields({"temperature", "top_k", "top_p", "min_p", "repetition_penalty",
                     "presence_penalty", "frequency_penalty", "repeat_last_n", "logit_bias", "seed",
                     "choice"});
  receipt.choice = static_cast<int32_t>(json.field("choice").integer(0, kMostId));
  receipt.sampling = read_options(json);
  try {
    validate(receipt.sampling, kMostId);  // the vocabulary is the model's to say
  } catch (const Error& error) {
    throw Error(concat(json.place(), ".", error.what()));
  }
}

void read_prompt(const JsonValue& json, Receipt& receipt) {
  if (json.size() == 0) json.refuse("at least one token");
  receipt.prompt.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i)
    receipt.prompt.push_back(static_cast<int32_t>(json.at(i).integer(0, kMostId)));
}

void read_steps(const JsonValue& json, Receipt& receipt) {
  if (json.size() == 0) json.refuse("at least one step");
  receipt.steps.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    const JsonValue step = json.at(i);
    step.check_fields({"token", "logits_sha256"});
    receipt.steps.push_back({static_cast<int32_t>(step.field("token").integer(0, kMostId)),
                             sha256_in(step.field("logits_sha256"))});
  }
}

void read_ran_on(const JsonValue& json, RanOn& ran_on) {
  json.check_fields({"version", "ranks", "shares", "threads", "device"});
  ran_on.version = json.field("version").text();
  ran_on.ranks = static_cast<int>(json.field("ranks").integer(1, kMostId));
  const JsonValue shares = json.field("shares");
  for (size_t i = 0; i < shares.size(); ++i) ran_on.shares.push_back(shares.at(i).real());
  ran_on.threads = static_cast<int>(json.field("threads").integer(1, kMostId));
  ran_on.device = json.field("device").text();
}

void check_format(const JsonValue& json) {
  const JsonValue format = json.field("format");
  if (format.text() != kFormat) format.refuse(concat("'", kFormat, "'"));
  const JsonValue version = json.field("format_version");
  const int64_t got = version.integer(1, kMostId);
  if (got != kReceiptVersion)
    version.refuse(concat(
        kReceiptVersion, ", the only one that this version of Colonnade reads (take a newer one)"));
}

}  // namespace

GenerationRequest Receipt::request() const {
  GenerationRequest request;
  request.prompt = prompt;
  request.sampling = sampling;
  request.choice = choice;
  request.stop.max_tokens = static_cast<int64_t>(steps.size());
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  return request;
}

std::string logits_digest(std::span<const float> logits) {
  return sha256_of(std::as_bytes(logits));
}

std::vector<FileDigest> digest_files(const std::vector<File>& files,
                                     const DigestProgress& on_block) {
  std::vector<FileDigest> digests;
  const int64_t all = total_size(files);
  int64_t before = 0;
  for (const File& file : files) {
    const std::string digest = sha256_of(file, [&](int64_t done) {
      if (on_block) on_block(before + done, all);
    });
    before += file.size();
    const std::string& path = file.path();
    digests.push_back({path.substr(path.find_last_of('/') + 1), file.size(), digest});
  }
  return digests;
}

std::string write_receipt(const Receipt& receipt) {
  CN_CHECK(
      !receipt.steps.empty(),
      "receipt: expected at least one token in the answer, got none: nothing was computed that "
      "could be compared");
  const ordered_json all = {{"format", kFormat},
                            {"format_version", kReceiptVersion},
                            {"numerics", receipt.numerics},
                            {"model", model_json(receipt)},
                            {"precision", name_of(receipt.precision)},
                            {"cache_type", name_of(receipt.cache)},
                            {"prompt_ids", receipt.prompt},
                            {"sampling", sampling_json(receipt)},
                            {"ran_on", ran_on_json(receipt.ran_on)}};
  std::string text = "{\n";
  for (const auto& [name, value] : all.items())
    text += concat(" \"", name, "\": ", dump(value), ",\n");
  text += " \"steps\": [\n";
  for (const ReceiptStep& step : receipt.steps) {
    text += "  " + dump({{"token", step.token}, {"logits_sha256", step.logits_sha256}});
    text += &step == &receipt.steps.back() ? "\n" : ",\n";
  }
  return text + " ]\n}\n";
}

Receipt read_receipt(std::string_view text, const std::string& where) {
  const nlohmann::json parsed = parse_json(text, where);
  const JsonValue json(parsed, where);
  check_format(json);
  json.check_fields({"format", "format_version", "numerics", "model", "precision", "cache_type",
                     "prompt_ids", "sampling", "steps", "ran_on"});
  Receipt receipt;
  receipt.numerics = static_cast<int>(json.field("numerics").integer(1, kMostId));
  read_model(json.field("model"), receipt);
  receipt.precision = one_of(kTiers, json.field("precision"));
  receipt.cache = one_of(kCaches, json.field("cache_type"));
  read_prompt(json.field("prompt_ids"), receipt);
  read_sampling(json.field("sampling"), receipt);
  read_steps(json.field("steps"), receipt);
  read_ran_on(json.field("ran_on"), receipt.ran_on);
  return receipt;
}

}  // namespace colonnade
