#include "colonnade/cli/options.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "colonnade/base/quote.h"
#include "colonnade/base/text_file.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/io/ggml_quantize.h"

namespace colonnade::cli {
namespace {

constexpr int64_t kMostThreads = 512;
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

void refuse_words(const Arguments& arguments) {
  if (arguments.words().empty()) return;
  const std::string& word = arguments.words().front();
  throw UsageError(concat("unexpected ", quote(word),
                          " (a text goes behind --prompt or into a file behind --file, a "
                          "model behind --model)"));
}

std::string read_model_path(const Arguments& arguments) {
  const std::optional<std::string> path = arguments.text("--model");
  if (!path || path->empty())
    throw UsageError(
        concat("--model: expected a GGUF file; colonnade ", arguments.command().name, " -m FILE"));
  return *path;
}

constexpr Tier kTiers[] = {Tier::int8, Tier::int15, Tier::f32};  // in the order of --precision

/// Sizes that follow from cache and chunk.
ModelOptions read_cache_options(const Arguments& arguments) {
  ModelOptions options;
  constexpr DType kCaches[] = {DType::bf16, DType::f32};
  options.chunk = arguments.integer("--chunk", 1).value_or(options.chunk);
  if (const auto cache = arguments.choice("--cache-type")) options.cache = kCaches[*cache];
  return options;
}

/// Those, and what follows from precision.
ModelOptions read_precision_options(const Arguments& arguments) {
  ModelOptions options = read_cache_options(arguments);
  if (const auto tier = arguments.choice("--precision")) options.precision = kTiers[*tier];
  return options;
}

constexpr int64_t kMostRanks = 1 << 20;

CutOptions read_cut_options(const Arguments& arguments) {
  CutOptions options;
  const bool compares = arguments.command().name == "verify" && !arguments.has("--receipt");
  options.ranks =
      static_cast<int>(arguments.integer("--tp", 1, kMostRanks).value_or(compares ? 2 : 1));
  options.auto_shares = arguments.text("--shares") == "auto";
  if (options.auto_shares) return options;
  options.shares = arguments.numbers("--shares");
  const auto ranks = static_cast<size_t>(options.ranks);
  if (!options.shares.empty() && options.shares.size() != ranks)
    throw UsageError(concat("--shares: expected one for each of ", ranks, " ranks (--tp), got ",
                            options.shares.size()));
  return options;
}

CutOptions read_rank_options(const Arguments& arguments) {
  CutOptions options = read_cut_options(arguments);
  constexpr RanksAs kAs[] = {RanksAs::processes, RanksAs::threads};
  if (const auto as = arguments.choice("--ranks-as")) options.as = kAs[*as];
  if (const auto seconds = arguments.integer("--timeout", 0, 1'000'000))
    options.timeout_s = static_cast<double>(*seconds);
  return options;
}

/// What every command that loads a model has, but for path, threads and precision.
void read_load_flags(const Arguments& arguments, ModelOptions& options) {
  if (arguments.choice("--isa")) options.isa = *arguments.text("--isa");
  options.quiet = arguments.has("--quiet");
  options.cut = read_rank_options(arguments);
}

/// The same, and precision.
ModelOptions read_load_options(const Arguments& arguments) {
  ModelOptions options = read_precision_options(arguments);
  read_load_flags(arguments, options);
  return options;
}

int read_threads(const Arguments& arguments) {
  const int64_t threads = arguments.integer("--threads", -1, kMostThreads).value_or(0);
  return static_cast<int>(std::max<int64_t>(threads, 0));  // -1 and 0: choose, as elsewhere
}

ModelOptions read_model_options(const Arguments& arguments) {
  ModelOptions options = read_load_options(arguments);
  options.path = read_model_path(arguments);
  options.threads = read_threads(arguments);
  return options;
}

TextOptions read_text_options(const Arguments& arguments) {
  TextOptions options;
  options.text = arguments.text("--prompt");
  options.file = arguments.text("--file");
  if (options.text && options.file)
    throw UsageError("--prompt and --file: expected one of them, got both");
  return options;
}

TextOptions read_special_text_options(const Arguments& arguments) {
  TextOptions options = read_text_options(arguments);
  options.parse_special = !arguments.has("--no-parse-special");
  options.add_bos = !arguments.has("--no-bos");
  return options;
}

/// "15043+1", "15043-inf", "15043=-2.5"
std::pair<int32_t, float> parse_bias(std::string_view text) {
  int32_t id = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, id);
  const char* number = at != end && (*at == '+' || *at == '=' || *at == ':') ? at + 1 : at;
  float bias = 0;
  const auto [stop, bias_error] = std::from_chars(number, end, bias);
  if (error != std::errc() || at == end || bias_error != std::errc() || stop != end)
    throw UsageError(concat("--logit-bias: expected ID+X, ID-X or ID-inf, got ", quote(text)));
  return {id, bias};
}

std::optional<uint64_t> read_seed(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.text("--seed");
  if (!text || *text == "-1") return std::nullopt;
  uint64_t seed = 0;
  const char* end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, seed);
  if (error != std::errc() || at != end)
    throw UsageError(
        concat("--seed: expected an integer from 0 to 2^64 - 1, or -1 for a fresh one, got ",
               quote(*text)));
  return seed;
}

SamplingOptions read_sampling_options(const Arguments& arguments) {
  SamplingOptions options;
  options.temperature = arguments.number("--temp").value_or(0.8F);
  options.top_k = static_cast<int32_t>(
      arguments.integer("--top-k", std::numeric_limits<int32_t>::min(), kInt32Max).value_or(40));
  options.top_p = arguments.number("--top-p").value_or(0.95F);
  options.min_p = arguments.number("--min-p").value_or(0.05F);
  options.repetition_penalty = arguments.number("--repeat-penalty").value_or(1.0F);
  options.repeat_last_n = static_cast<int32_t>(
      arguments.integer("--repeat-last-n", std::numeric_limits<int32_t>::min(), kInt32Max)
          .value_or(64));
  options.presence_penalty = arguments.number("--presence-penalty").value_or(0.0F);
  options.frequency_penalty = arguments.number("--frequency-penalty").value_or(0.0F);
  for (const std::string& value : arguments.texts("--logit-bias")) {
    for (const std::string_view part : split(value, ','))
      options.logit_bias.push_back(parse_bias(part));
  }
  options.seed = read_seed(arguments);
  // The vocabulary is not known yet; everything else is judged before a model is loaded.
  as_usage([&] { validate(options, kInt32Max); });
  return options;
}

AnswerOptions read_answer_options(const Arguments& arguments) {
  AnswerOptions options;
  options.sampling = read_sampling_options(arguments);
  options.timings = arguments.has("--timings");
  const int64_t most = arguments.integer("--max-tokens", -2).value_or(-1);
  if (most >= 0) options.stop.max_tokens = most;
  options.stop.strings = arguments.texts("--stop");
  const bool any_empty = std::any_of(options.stop.strings.begin(), options.stop.strings.end(),
                                     [](const std::string& text) { return text.empty(); });
  if (any_empty) throw UsageError("--stop: expected a text, got an empty one");
  return options;
}

/// The name of a file to write or read; empty when the flag did not come. Throws UsageError for an
/// empty one.
std::string read_file_name(const Arguments& arguments, std::string_view flag) {
  const std::string name = arguments.text(flag).value_or("");
  if (arguments.has(flag) && name.empty())
    throw UsageError(concat(flag, ": expected the name of a file, got an empty one"));
  return name;
}

/// Tokens per measurement; 0 switches one off.
std::vector<int64_t> read_lengths(const Arguments& arguments, std::string_view flag,
                                  int64_t absent) {
  std::vector<int64_t> lengths = arguments.integers(flag, 0, {absent});
  std::erase(lengths, 0);
  return lengths;
}

}  // namespace

RunOptions read_run_options(const Arguments& arguments) {
  refuse_words(arguments);
  RunOptions options;
  options.model = read_model_options(arguments);
  options.model.context = arguments.integer("--ctx-size", 0);
  options.prompt = read_special_text_options(arguments);
  options.answer = read_answer_options(arguments);
  options.ignore_eos = arguments.has("--ignore-eos");
  options.choice = static_cast<int32_t>(arguments.integer("--choice", 0, kInt32Max).value_or(0));
  options.json = arguments.has("--json");
  if (const auto count = arguments.integer("--logprobs", 0, 1000))
    options.logprobs = static_cast<int32_t>(*count);
  if (options.logprobs && !options.json)
    throw UsageError("--logprobs: expected --json beside it, which shows them");
  options.logits_file = read_file_name(arguments, "--logits");
  options.receipt_file = read_file_name(arguments, "--receipt");
  if (!options.receipt_file.empty() && options.answer.stop.max_tokens == 0)
    throw UsageError("--receipt: expected --max-tokens of at least 1: no token, nothing to check");
  return options;
}

ChatOptions read_chat_options(const Arguments& arguments) {
  refuse_words(arguments);
  ChatOptions options;
  options.model = read_model_options(arguments);
  options.model.context = arguments.integer("--ctx-size", 0);
  options.turn = read_text_options(arguments);
  options.system = arguments.text("--system-prompt").value_or("");
  options.answer = read_answer_options(arguments);
  return options;
}

InfoOptions read_info_options(const Arguments& arguments) {
  refuse_words(arguments);
  InfoOptions options;
  options.model.path = arguments.text("--model").value_or("");
  options.model.threads = read_threads(arguments);
  if (arguments.choice("--isa")) options.model.isa = *arguments.text("--isa");
  options.json = arguments.has("--json");
  return options;
}

/// One value for each rank, or one for all.
void check_per_rank(std::string_view flag, size_t values, const CutOptions& cut) {
  if (values > 1 && values != static_cast<size_t>(cut.ranks))
    throw UsageError(concat(flag, ": expected one value, or one for each of ", cut.ranks,
                            " ranks (--tp), got ", values));
}

PlanOptions read_plan_options(const Arguments& arguments) {
  refuse_words(arguments);
  PlanOptions options;
  options.model = read_precision_options(arguments);
  options.model.path = read_model_path(arguments);
  options.model.context = arguments.integer("--ctx-size", 0);
  options.model.threads = read_threads(arguments);
  options.model.cut = read_cut_options(arguments);
  if (options.model.cut.auto_shares)
    throw UsageError(
        "--shares: auto is measured by the ranks when they run; to plan, give numbers: --shares "
        "3,1");
  options.memory_bytes = arguments.sizes("--memory");
  check_per_rank("--memory", options.memory_bytes.size(), options.model.cut);
  for (const double gbs : arguments.numbers("--bandwidth"))
    options.bytes_per_s.push_back(gbs * 1e9);
  check_per_rank("--bandwidth", options.bytes_per_s.size(), options.model.cut);
  if (arguments.choice("--link")) options.link = find_link(*arguments.text("--link"));
  if (options.link != nullptr && options.link->between == Link::devices &&
      options.bytes_per_s.empty())
    throw UsageError(concat("--link ", options.link->name,
                            ": expected the devices' --bandwidth beside it; only this machine's "
                            "own can be measured"));
  options.json = arguments.has("--json");
  options.brief = arguments.has("--brief");
  if (options.json && options.brief)
    throw UsageError("--json and --brief: expected one of them, got both");
  options.svg_file = read_file_name(arguments, "--svg");
  return options;
}

TokenizeOptions read_tokenize_options(const Arguments& arguments) {
  refuse_words(arguments);
  TokenizeOptions options;
  options.model = read_model_path(arguments);
  options.text = read_special_text_options(arguments);
  options.json = arguments.has("--json");
  options.ids_only = arguments.has("--ids");
  return options;
}

PerplexityOptions read_perplexity_options(const Arguments& arguments) {
  refuse_words(arguments);
  PerplexityOptions options;
  options.model = read_model_options(arguments);
  options.text.file = arguments.text("--file");
  options.json = arguments.has("--json");
  if (!options.text.file) throw UsageError("--file: expected a text to measure");
  return options;
}

/// What a receipt says itself.
void refuse_beside_receipt(const Arguments& arguments) {
  for (const char* flag : {"--precision", "--cache-type", "--prompt", "--file", "--max-tokens"}) {
    if (arguments.has(flag))
      throw UsageError(concat(flag, ": the receipt says it; leave it out beside --receipt"));
  }
}

VerifyOptions read_verify_options(const Arguments& arguments) {
  refuse_words(arguments);
  VerifyOptions options;
  options.model = read_cache_options(arguments);
  if (!arguments.has("--chunk")) options.model.chunk = 128;
  read_load_flags(arguments, options.model);
  options.model.threads = read_threads(arguments);
  options.receipt_file = read_file_name(arguments, "--receipt");
  options.json = arguments.has("--json");
  if (!options.receipt_file.empty()) {
    refuse_beside_receipt(arguments);
    options.model.path = arguments.text("--model").value_or("");
    return options;
  }
  options.model.path = read_model_path(arguments);
  options.prompt = read_text_options(arguments);
  options.steps = arguments.integer("--max-tokens", 1).value_or(options.steps);
  const size_t all = std::size(kTiers);  // the choice behind them
  const size_t tier = arguments.choice("--precision").value_or(all);
  if (tier < all) options.precisions = {kTiers[tier]};
  return options;
}

BenchOptions read_bench_options(const Arguments& arguments) {
  refuse_words(arguments);
  BenchOptions options;
  options.model = read_load_options(arguments);
  options.model.path = read_model_path(arguments);
  options.prompts = read_lengths(arguments, "--n-prompt", 512);
  options.answers = read_lengths(arguments, "--n-gen", 128);
  options.threads = arguments.integers("--threads", 0, {0});
  if (*std::max_element(options.threads.begin(), options.threads.end()) > kMostThreads)
    throw UsageError(concat("--threads: expected at most ", kMostThreads));
  options.repetitions =
      arguments.integer("--repetitions", 1, 1'000'000).value_or(options.repetitions);
  constexpr BenchFormat kFormats[] = {BenchFormat::md, BenchFormat::json, BenchFormat::csv};
  options.format = kFormats[arguments.choice("--output").value_or(0)];
  if (options.prompts.empty() && options.answers.empty())
    throw UsageError("--n-prompt and --n-gen: expected one above 0");
  return options;
}

/// The file or folder that a command is for.
std::string read_output(const Arguments& arguments, const char* what) {
  const std::string path = read_file_name(arguments, "--output");
  if (path.empty())
    throw UsageError(concat("--output: expected ", what, " to write; colonnade ",
                            arguments.command().name, " -m FILE -o PATH"));
  return path;
}

std::optional<GgmlType> read_type(const Arguments& arguments, std::string_view flag) {
  constexpr GgmlType kTypes[] = {GgmlType::f32,  GgmlType::f16,  GgmlType::bf16,
                                 GgmlType::q8_0, GgmlType::q4_0, GgmlType::q4_1};
  const auto choice = arguments.choice(flag);
  return choice ? std::optional(kTypes[*choice]) : std::nullopt;
}

QuantizeOptions read_quantize_options(const Arguments& arguments) {
  refuse_words(arguments);
  QuantizeOptions options;
  options.model = read_model_path(arguments);
  options.output = read_output(arguments, "the name of a file");
  const std::optional<GgmlType> type = read_type(arguments, "--type");
  if (!type)
    throw UsageError(concat("--type: expected one of ", writable_ggml_types(),
                            "; colonnade quantize -m FILE --type Q4_0 -o FILE"));
  options.types = {*type, read_type(arguments, "--output-type"),
                   read_type(arguments, "--embedding-type")};
  options.threads = read_threads(arguments);
  options.json = arguments.has("--json");
  options.quiet = arguments.has("--quiet");
  return options;
}

ShardOptions read_shard_options(const Arguments& arguments) {
  refuse_words(arguments);
  ShardOptions options;
  options.model = read_model_path(arguments);
  options.folder = read_output(arguments, "a folder");
  if (!arguments.has("--tp"))
    throw UsageError("--tp: expected the number of ranks; colonnade shard -m FILE --tp 3 -o PATH");
  options.cut = read_cut_options(arguments);
  if (options.cut.auto_shares)
    throw UsageError(
        "--shares: auto is measured by the ranks when they run; expected numbers: 3,1");
  options.threads = read_threads(arguments);
  options.json = arguments.has("--json");
  options.quiet = arguments.has("--quiet");
  return options;
}

}  // namespace colonnade::cli
