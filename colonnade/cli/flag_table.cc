#include "colonnade/cli/flag_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "colonnade/base/text_file.h"

namespace colonnade::cli {
namespace {

constexpr Command kCommands[] = {
    {"run", "complete a prompt",
     "colonnade run -m model.gguf -p \"Once upon a time\" -n 64\n"
     "colonnade run -m model.gguf -f prompt.txt --temp 0 --json\n"
     "echo \"2, 3, 5, 7,\" | colonnade run -m model.gguf --seed 1"},
    {"chat", "talk with a model",
     "colonnade chat -m model.gguf\n"
     "colonnade chat -m model.gguf -p \"What is the capital of France?\"\n"
     "colonnade chat -m model.gguf --system-prompt \"Answer in one sentence.\""},
    {"info", "describe this machine or a model",
     "colonnade info\n"
     "colonnade info -m model.gguf --json"},
    {"plan", "show how a model is cut among ranks, before any of it is loaded",
     "colonnade plan -m model.gguf --tp 4\n"
     "colonnade plan -m model.gguf --tp 2 --shares 3,1 --memory 16G,8G --bandwidth 60,30 --link "
     "10GbE\n"
     "colonnade plan -m model.gguf --tp 4 --svg cut.svg"},
    {"tokenize", "show the tokens of a text",
     "colonnade tokenize -m model.gguf -p \"Hello world\"\n"
     "colonnade tokenize -m model.gguf -f text.txt --ids"},
    {"perplexity", "measure how well a model predicts a text",
     "colonnade perplexity -m model.gguf -f text.txt --precision f32"},
    {"verify", "check that any number of ranks gives the same bits, or a receipt of a run",
     "colonnade verify -m model.gguf --tp 3\n"
     "colonnade verify -m model.gguf --tp 4 --shares 3,1,2,2 --precision int8 -f prompt.txt -n 64\n"
     "colonnade run -m model.gguf -p \"Once upon a time\" -n 64 --tp 3 --receipt answer.json\n"
     "colonnade verify --receipt answer.json -m model.gguf"},
    {"bench", "measure tokens per second, and what limits them",
     "colonnade bench -m model.gguf -p 512 -n 64 -t 2 -r 5\n"
     "colonnade bench -m model.gguf -p 0 -n 64 -t 1,2 -o json"},
    {"quantize", "write a model as a GGUF file of another type",
     "colonnade quantize -m model-bf16.gguf --type Q4_0 -o model-q4_0.gguf\n"
     "colonnade quantize -m model-bf16.gguf --type Q4_0 --output-type Q8_0 -o model.gguf"},
    {"shard", "cut a model into one file per rank",
     "colonnade shard -m model.gguf --tp 3 -o model-in-3\n"
     "colonnade shard -m model.gguf --tp 2 --shares 3,1 -o model-in-2\n"
     "colonnade run -m model-in-3 --tp 3 -p \"Once upon a time\""},
    {"completion", "print completions for bash, zsh or fish, or the man page",
     "source <(colonnade completion bash)\n"
     "colonnade completion fish > ~/.config/fish/completions/colonnade.fish"},
};

constexpr std::string_view
    kModel = "Model",
    kPrompt = "Prompt", kAnswer = "Answer", kSampling = "Sampling", kOutput = "Output",
    kMeasure = "Measurement", kLoads = "run chat perplexity verify bench", kGenerates = "run chat",
    kRanks = "Ranks",
    kEvery = "run chat info plan tokenize perplexity verify bench quantize shard completion";

constexpr Flag kFlags[] = {
    {"--model", "-m", "FILE", "run chat info plan tokenize perplexity bench quantize shard", kModel,
     "GGUF file, a shard of one, or a folder with one"},
    {"--model", "-m", "FILE", "verify", kModel,
     "GGUF file, a shard of one, or a folder with one (default with --receipt: the file that it "
     "names, beside it or in this folder)"},
    {"--ctx-size", "-c --context --max-model-len", "N", "run chat plan", kModel,
     "positions that prompt and answer may take; 0: all that the model has (default: the model's, "
     "at most 8192)"},
    {"--threads", "-t --num-threads --n-threads", "N", "run chat info perplexity verify", kModel,
     "threads of each rank (default: the physical cores that the process may use, divided)"},
    {"--threads", "-t --num-threads --n-threads", "N", "quantize shard", kModel,
     "threads (default: the physical cores that the process may use)"},
    {"--threads", "-t --num-threads --n-threads", "N[,N]", "bench", kModel,
     "threads of each rank; a list measures each (default: the physical cores that the process may "
     "use, divided)"},
    {"--precision", "", "int8|int15|f32", "run chat plan perplexity bench", kModel,
     "of the activations in products with quantized weights (default: int8)"},
    {"--precision", "", "int8|int15|f32|all", "verify", kModel,
     "of the activations in products with quantized weights (default: all, one after the other)"},
    {"--cache-type", "-ctk -ctv --cache-type-k --cache-type-v --kv-cache-dtype", "bf16|f32",
     "run chat plan perplexity verify bench", kModel,
     "of keys and values (default: bf16 with int8, else f32)"},
    {"--chunk", "-ub --ubatch-size --max-num-batched-tokens", "N", "run chat plan perplexity bench",
     kModel, "prompt tokens computed at a time (default: 512); changes no bit of the answer"},
    {"--chunk", "-ub --ubatch-size --max-num-batched-tokens", "N", "verify", kModel,
     "prompt tokens computed at a time (default: 128)"},
    {"--isa", "", "scalar|avx2|avxvnni|avx512|avx512vnni|amx|neon|neondot",
     "run chat info perplexity verify bench", kModel,
     "instruction set (default: COLONNADE_ISA, else the best here); changes no bit of the answer"},

    {"--tp", "-tp --tensor-parallel-size --tensor-parallel --ranks", "N",
     "run chat plan perplexity bench", kRanks,
     "ranks that share the model (default: 1); changes no bit of the answer"},
    {"--tp", "-tp --tensor-parallel-size --tensor-parallel --ranks", "N", "verify", kRanks,
     "ranks that are compared with one (default: 2), or that compute a receipt again (default: 1)"},
    {"--tp", "-tp --tensor-parallel-size --tensor-parallel --ranks", "N", "shard", kRanks,
     "ranks to cut for; the files load at any number"},
    {"--shares", "-ts --tensor-split", "X,X,...", "shard", kRanks,
     "how much each rank takes, relative to the others (default: as much as the others)"},
    {"--shares", "-ts --tensor-split", "X,X,...", "run chat plan perplexity verify bench", kRanks,
     "how much each rank takes, relative to the others, or auto: as fast as each is (default: as "
     "much as the others)"},
    {"--ranks-as", "", "processes|threads", kLoads, kRanks,
     "what ranks are on this machine (default: processes)"},
    {"--timeout", "", "SECONDS", kLoads, kRanks,
     "a rank that gives no sign of life for so long is lost; 0: wait for ever (default: 60)"},
    {"--memory", "", "SIZE[,SIZE...]", "plan", kRanks,
     "memory of each rank, 16G for all or 16G,8G for two (default: what this machine has)"},
    {"--bandwidth", "", "GB/s[,GB/s...]", "plan", kRanks,
     "how fast each rank reads its memory (default: measured here)"},
    {"--threads", "-t --num-threads --n-threads", "N", "plan", kRanks,
     "of each rank, to measure bandwidth with (default: all cores of its machine)"},
    {"--link", "", "shared-memory|nvlink|thunderbolt|10GbE|1GbE", "plan", kRanks,
     "what connects the ranks (default: a prediction for each)"},

    {"--prompt", "-p", "TEXT", "run tokenize", kPrompt, "the text"},
    {"--prompt", "-p", "TEXT", "chat", kPrompt, "one turn: answer it and end"},
    {"--prompt", "-p", "TEXT", "verify", kPrompt,
     "the text (default: three built-in ones of different lengths)"},
    {"--receipt", "", "FILE", "verify", kPrompt,
     "compute again what this receipt of a run says, instead of comparing ranks"},
    {"--file", "-f", "FILE", "run tokenize perplexity verify", kPrompt,
     "the text, byte for byte; - is standard input"},
    {"--file", "-f", "FILE", "chat", kPrompt, "one turn out of a file: answer it and end"},
    {"--system-prompt", "-sys --system", "TEXT", "chat", kPrompt, "the system message"},
    {"--no-parse-special", "", "", "run tokenize", kPrompt,
     "control tokens that are written out in the text (<|im_end|>) are ordinary characters"},
    {"--no-bos", "", "", "run tokenize", kPrompt,
     "no begin-of-text token, whatever the vocabulary says"},

    {"--max-tokens", "-n --n-predict --predict --max-completion-tokens", "N", kGenerates, kAnswer,
     "tokens to generate; -1: until the text ends or the context is full (default: -1)"},
    {"--max-tokens", "-n --n-predict --predict --max-completion-tokens", "N", "verify", kAnswer,
     "tokens to generate behind each prompt (default: 16)"},
    {"--stop", "-r --reverse-prompt", "TEXT", kGenerates, kAnswer,
     "end the answer before this text; may be repeated"},
    {"--ignore-eos", "", "", "run", kAnswer, "go on behind the end of the text"},

    {"--temp", "--temperature", "X", kGenerates, kSampling,
     "0 takes the most likely token, higher values take unlikely ones more often (default: 0.8)"},
    {"--top-k", "", "N", kGenerates, kSampling,
     "keep the N most likely tokens; 0 or -1: off (default: 40)"},
    {"--top-p", "", "X", kGenerates, kSampling,
     "keep the most likely tokens whose probabilities sum to X; 1: off (default: 0.95)"},
    {"--min-p", "", "X", kGenerates, kSampling,
     "keep tokens at least X times as likely as the most likely; 0: off (default: 0.05)"},
    {"--seed", "-s --rng-seed", "N", kGenerates, kSampling,
     "the same seed gives the same answer; -1: a fresh one (default)"},
    {"--choice", "", "N", "run", kSampling,
     "which answer to the same prompt and seed (default: 0)"},
    {"--repeat-penalty", "--repetition-penalty", "X", kGenerates, kSampling,
     "against tokens that were there; 1: off (default)"},
    {"--repeat-last-n", "", "N", kGenerates, kSampling,
     "tokens that the penalties look back on; -1: all (default: 64)"},
    {"--presence-penalty", "", "X", kGenerates, kSampling,
     "subtracted from tokens of the answer; 0: off (default)"},
    {"--frequency-penalty", "", "X", kGenerates, kSampling,
     "subtracted from tokens of the answer, as often as they were there; 0: off (default)"},
    {"--logit-bias", "-l", "ID+X", kGenerates, kSampling,
     "add X to the logit of token ID: 15043+1, 15043-1, 15043-inf (never); may be repeated"},

    {"--output", "-o --outdir", "FOLDER", "shard", kOutput,
     "where to write the files, one per rank; it is made if it is not there"},
    {"--output", "-o --outfile", "FILE", "quantize", kOutput,
     "the GGUF file to write; it appears when it is complete"},
    {"--type", "--outtype", "F32|F16|BF16|Q8_0|Q4_0|Q4_1", "quantize", kOutput,
     "of the matrices; vectors and norms stay F32"},
    {"--output-type", "--output-tensor-type", "F32|F16|BF16|Q8_0|Q4_0|Q4_1", "quantize", kOutput,
     "of the head, output.weight (default: as --type)"},
    {"--embedding-type", "--token-embedding-type", "F32|F16|BF16|Q8_0|Q4_0|Q4_1", "quantize",
     kOutput, "of the embedding, token_embd.weight (default: as --type)"},
    {"--json", "", "", "run info plan tokenize perplexity verify quantize shard", kOutput,
     "print one JSON object"},
    {"--brief", "", "", "plan", kOutput, "three lines instead of a page"},
    {"--svg", "", "FILE", "plan", kOutput, "draw how every matrix is cut"},
    {"--ids", "", "", "tokenize", kOutput, "print the ids alone, as [1, 2, 3]"},
    {"--logprobs", "", "K", "run", kOutput,
     "with --json: the K most likely tokens of every step and their log-probabilities"},
    {"--logits", "--save-all-logits", "FILE", "run", kOutput,
     "write the logits of every step as a safetensors file: logits [steps, V] f32"},
    {"--receipt", "", "FILE", "run", kOutput,
     "write what was computed and digests of it as a file that `colonnade verify` checks"},
    {"--timings", "--show-timings", "", kGenerates, kOutput,
     "print the speed at the end, and its share of the measured bandwidth (default: on a "
     "terminal)"},
    {"--quiet", "-q", "", kLoads, kOutput, "no loading bar, no progress, no speed"},
    {"--quiet", "-q", "", "quantize shard", kOutput, "no progress bar"},

    {"--n-prompt", "-p --prompt", "N[,N]", "bench", kMeasure,
     "prompt lengths; 0: none (default: 512)"},
    {"--n-gen", "-n", "N[,N]", "bench", kMeasure, "generation lengths; 0: none (default: 128)"},
    {"--repetitions", "-r", "N", "bench", kMeasure,
     "measurements of each, after one that warms up (default: 5)"},
    {"--output", "-o", "md|json|csv", "bench", kOutput, "format (default: md)"},

    {"--help", "-h", "", kEvery, kOutput, "this text"},
};

constexpr std::string_view kOneMachine =
    "this version's ranks share one machine (--tp N starts them); leave it out";

constexpr UnsupportedFlag kUnsupported[] = {
    {"-pp --pp --pipeline-parallel-size", "1",
     "this version cuts layers (--tp), it does not deal them out; leave it out"},
    {"--nproc --num-ranks --nnodes --node-rank", "1", kOneMachine},
    {"--hosts --hostfile --rpc --master-addr", "", kOneMachine},
    {"-dp --data-parallel-size", "1", "this version keeps one copy of the model; leave it out"},
    {"-ngl --gpu-layers --n-gpu-layers", "0", "this version computes on the CPU; leave it out"},
    {"--port --host --api-key", "", "this version has no server"},
    {"--lora --lora-scaled", "", "this version loads no adapters"},
    {"-mm --mmproj --image --audio", "", "this version reads text only"},
    {"-md --model-draft --speculative-config", "", "this version has no speculative decoding"},
};

bool equal_spelling(std::string_view table, std::string_view typed) {
  return std::equal(table.begin(), table.end(), typed.begin(), typed.end(),
                    [](char a, char b) { return a == (b == '_' ? '-' : b); });
}

bool lists(std::string_view list, std::string_view spelling) {
  for (const std::string_view word : split(list, ' ')) {
    if (equal_spelling(word, spelling)) return true;
  }
  return false;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Insertions, deletions, substitutions and swaps of neighbours that turn a into b. Source: the
/// restricted edit distance of Damerau 1964.
int edit_distance(std::string_view a, std::string_view b) {
  const size_t n = b.size();
  std::vector<int> before(n + 1), last(n + 1), now(n + 1);
  for (size_t j = 0; j <= n; ++j) last[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (size_t j = 1; j <= n; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[n];
}

/// Keeps the word that is nearest to a wrong one, within a third of its letters.
class Nearest {
 public:
  explicit Nearest(std::string_view wrong)
      : wrong_(wrong), distance_(std::max<int>(2, static_cast<int>(wrong.size()) / 3) + 1) {}

  void offer(std::string_view word) {
    const int distance = edit_distance(wrong_, word);
    if (distance >= distance_ || distance >= static_cast<int>(word.size()) - 1) return;
    distance_ = distance;
    best_ = word;
  }
  std::string_view best() const { return best_; }

 private:
  std::string_view wrong_;
  std::string_view best_;
  int distance_;
};

}  // namespace

bool Flag::belongs_to(std::string_view command) const { return lists(commands, command); }

std::vector<std::string_view> Flag::spellings() const {
  std::vector<std::string_view> all = {name};
  for (const std::string_view word : split(synonyms, ' ')) all.push_back(word);
  return all;
}

std::vector<std::string_view> Flag::choices() const {
  if (value.find('|') == std::string_view::npos) return {};
  return split(value, '|');
}

std::span<const Command> all_commands() { return kCommands; }
std::span<const Flag> all_flags() { return kFlags; }
std::span<const UnsupportedFlag> unsupported_flags() { return kUnsupported; }

const Command* find_command(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

const Flag* find_flag(std::string_view command, std::string_view spelling) {
  for (const Flag& flag : kFlags) {
    if (!flag.belongs_to(command)) continue;
    if (equal_spelling(flag.name, spelling) || lists(flag.synonyms, spelling)) return &flag;
  }
  return nullptr;
}

const UnsupportedFlag* find_unsupported(std::string_view spelling) {
  for (const UnsupportedFlag& flag : kUnsupported) {
    if (lists(flag.spellings, spelling)) return &flag;
  }
  return nullptr;
}

std::string_view nearest_flag(std::string_view command, std::string_view wrong) {
  Nearest nearest(wrong);
  for (const Flag& flag : kFlags) {
    if (!flag.belongs_to(command)) continue;
    for (const std::string_view spelling : flag.spellings()) nearest.offer(spelling);
  }
  return nearest.best();
}

std::string_view nearest_command(std::string_view wrong) {
  Nearest nearest(wrong);
  for (const Command& command : kCommands) nearest.offer(command.name);
  return nearest.best();
}

}  // namespace colonnade::cli
