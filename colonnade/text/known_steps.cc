#include "colonnade/text/known_steps.h"

#include <string>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/text/pieces.h"

namespace colonnade::text {
namespace {

#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define SPACES "\\s+(?!\\S)|\\s+"
#define NO_SPACE_LETTER_NUMBER "[^\\s\\p{L}\\p{N}]"
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"

#define GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?" NO_SPACE_LETTER_NUMBER "+|" SPACES

// As GPT-4's, with this for numbers.
#define GPT4_LIKE(numbers)                                                            \
  CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" numbers "| ?" NO_SPACE_LETTER_NUMBER \
               "+[\\r\\n]*|\\s*[\\r\\n]+|" SPACES

// As GPT-4o's, with these for contractions and numbers.
#define GPT4O_LIKE(contractions, numbers)                                                   \
  "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+" contractions "|[^\\r\\n\\p{L}\\p{N}]?" UPPER \
  "+" LOWER "*" contractions "|" numbers "| ?" NO_SPACE_LETTER_NUMBER                       \
  "+[\\r\\n/]*|\\s*[\\r\\n]+|" SPACES

struct Entry {
  std::string_view name;
  bool nfc;
  bool whole_words;
  bool add_bos;
  bool digits;  // each is split off first
  std::string_view regex;
};

// Source: tokenizer.json of openai-community/gpt2, HuggingFaceTB/SmolLM2-135M-Instruct,
// meta-llama/Meta-Llama-3-8B, Qwen/Qwen2.5-0.5B, bigscience/bloom, openai/gpt-oss-20b and
// mistralai/Mistral-Nemo-Base-2407.
constexpr Entry kKnown[] = {
    {"gpt-2", false, false, false, false, GPT2},
    {"phi-2", false, false, false, false, GPT2},
    {"smollm", false, false, false, true, GPT2},
    {"starcoder", false, false, false, true, GPT2},
    {"refact", false, false, false, true, GPT2},
    {"llama-bpe", false, true, true, false, GPT4_LIKE("\\p{N}{1,3}")},
    {"qwen2", true, false, false, false, GPT4_LIKE("\\p{N}")},
    {"deepseek-r1-qwen", true, false, false, false, GPT4_LIKE("\\p{N}")},
    {"gpt-4o", false, false, false, false, GPT4O_LIKE(CONTRACTIONS "?", "\\p{N}{1,3}")},
    {"tekken", false, true, true, false, GPT4O_LIKE("", "\\p{N}")},
    {"bloom", false, false, false, false,
     " ?[^(\\s|[.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C])]+"},
};

const Entry& find(std::string_view name) {
  std::string known;
  for (const Entry& entry : kKnown) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  const std::string what =
      name.empty() ? "missing" : concat("'", name, "', which is not supported");
  throw Error(concat("tokenizer: tokenizer.ggml.pre is ", what, "; supported: ", known));
}

}  // namespace

const std::string_view kGpt2Regex = GPT2;

KnownSteps known_steps(std::string_view name) {
  const Entry& entry = find(name);
  KnownSteps known{{}, entry.whole_words, entry.add_bos};
  if (entry.nfc) known.steps.normalizer.push_back({NormalizerStep::Kind::nfc, "", ""});
  if (entry.digits) known.steps.splits.push_back({"\\p{Digits}", SplitBehavior::isolated, false});
  known.steps.splits.push_back({std::string(entry.regex), SplitBehavior::isolated, false});
  return known;
}

TextSteps sentencepiece_steps(std::optional<NormalizerStep::Kind> space_prefix) {
  using Kind = NormalizerStep::Kind;
  const std::string space = with_metaspaces(" ");
  const bool always = space_prefix == Kind::prepend;
  TextSteps steps;
  if (always) steps.normalizer.push_back({Kind::prepend, "", space});
  steps.normalizer.push_back({Kind::replace, " ", space});
  if (space_prefix && !always) steps.normalizer.push_back({*space_prefix, "", space});
  return steps;
}

}  // namespace colonnade::text
