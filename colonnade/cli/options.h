// What each subcommand was asked to do, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "colonnade/api/plan_prediction.h"
#include "colonnade/api/quantize_types.h"
#include "colonnade/base/dtype.h"
#include "colonnade/cli/arguments.h"
#include "colonnade/comm/ranks.h"
#include "colonnade/engine/sampling_options.h"
#include "colonnade/engine/stop.h"
#include "colonnade/tensor/weight.h"

namespace colonnade::cli {

/// How the model is divided.
struct CutOptions {
  int ranks = 1;
  std::vector<double> shares;  // empty: equal
  bool auto_shares = false;
  RanksAs as = RanksAs::processes;
  double timeout_s = 60;  // 0: none
};

struct ModelOptions {
  std::string path;
  CutOptions cut;
  int threads = 0;                 // 0: the physical cores that the process may use
  std::optional<int64_t> context;  // 0: all that the model has
  int64_t chunk = 512;
  std::optional<Tier> precision;
  std::optional<DType> cache;
  std::string isa;  // empty: COLONNADE_ISA, else the best
  bool quiet = false;
};

/// A text from the command line, a file, or standard input.
struct TextOptions {
  std::optional<std::string> text;
  std::optional<std::string> file;  // "-": standard input
  bool parse_special = true;
  bool add_bos = true;

  bool given() const { return text || file; }
};

struct AnswerOptions {
  SamplingOptions sampling;
  StopOptions stop;
  bool timings = false;
};

struct RunOptions {
  ModelOptions model;
  TextOptions prompt;
  AnswerOptions answer;
  bool ignore_eos = false;
  int32_t choice = 0;
  bool json = false;
  std::optional<int32_t> logprobs;
  std::string logits_file;   // empty: none
  std::string receipt_file;  // empty: none
};

struct ChatOptions {
  ModelOptions model;
  TextOptions turn;  // not given: a conversation
  std::string system;
  AnswerOptions answer;
};

struct InfoOptions {
  ModelOptions model;  // no path: this machine
  bool json = false;
};

struct PlanOptions {
  ModelOptions model;
  std::vector<int64_t> memory_bytes;  // of each rank, or one for all; empty: this machine's
  std::vector<double> bytes_per_s;    // likewise; empty: measured
  const Link* link = nullptr;         // null: all of them
  bool json = false;
  bool brief = false;
  std::string svg_file;  // empty: none
};

struct TokenizeOptions {
  std::string model;
  TextOptions text;
  bool json = false;
  bool ids_only = false;
};

struct PerplexityOptions {
  ModelOptions model;
  TextOptions text;
  bool json = false;
};

struct VerifyOptions {
  ModelOptions model;  // no path: the one that the receipt names
  /// Of a receipt its own.
  std::vector<Tier> precisions = {Tier::int8, Tier::int15, Tier::f32};
  TextOptions prompt;        // not given: built-in ones
  int64_t steps = 16;        // tokens behind each prompt
  std::string receipt_file;  // empty: ranks are compared
  bool json = false;
};

enum class BenchFormat : uint8_t { md, json, csv };

struct BenchOptions {
  ModelOptions model;            // its threads are not used
  std::vector<int64_t> prompts;  // tokens; none is 0
  std::vector<int64_t> answers;
  std::vector<int64_t> threads;  // 0: as ModelOptions
  int64_t repetitions = 5;
  BenchFormat format = BenchFormat::md;
};

struct QuantizeOptions {
  std::string model;
  std::string output;
  QuantizeTypes types;
  int threads = 0;
  bool json = false;
  bool quiet = false;
};

struct ShardOptions {
  std::string model;
  std::string folder;
  CutOptions cut;
  int threads = 0;
  bool json = false;
  bool quiet = false;
};

/// Each throws UsageError that names the flag.
RunOptions read_run_options(const Arguments& arguments);
ChatOptions read_chat_options(const Arguments& arguments);
InfoOptions read_info_options(const Arguments& arguments);
PlanOptions read_plan_options(const Arguments& arguments);
TokenizeOptions read_tokenize_options(const Arguments& arguments);
PerplexityOptions read_perplexity_options(const Arguments& arguments);
VerifyOptions read_verify_options(const Arguments& arguments);
BenchOptions read_bench_options(const Arguments& arguments);
QuantizeOptions read_quantize_options(const Arguments& arguments);
ShardOptions read_shard_options(const Arguments& arguments);

}  // namespace colonnade::cli
