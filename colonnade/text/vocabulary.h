// The plain data of a tokenizer, as a model file gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/text_steps.h"

namespace colonnade::text {

/// What a token is. Source: GGUF, tokenizer.ggml.token_type.
enum class TokenType : int32_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

/// A token that is looked for in the text itself, before anything else is done to it. Source:
/// Hugging Face `tokenizers`, AddedToken.
struct WrittenToken {
  std::string text;
  int32_t id = -1;
  bool control = false;      ///< found in trusted text only
  bool normalized = false;   ///< looked for behind the normalizer, in the form that it gives `text`
  bool strip_left = false;   ///< takes the spaces before it
  bool strip_right = false;  ///< takes the spaces behind it
  bool single_word = false;  ///< only where no letter or number touches it
};

/// Two neighbours and the token that they become.
struct TokenMerge {
  int32_t left;
  int32_t right;
  int32_t token;
};

/// What becomes of a character that the vocabulary cannot spell.
enum class UnknownText { left_out, unk_each, unk_for_all };

/// What a tokenizer.json says beyond a GGUF file, which names it by `pre`.
struct TokenizerRules {
  TextSteps steps;
  std::vector<WrittenToken> written;
  std::vector<TokenMerge> merges;  ///< best first
  bool whole_words = false;  ///< a word that is a token is that token, whatever the merges say
  UnknownText unknown = UnknownText::left_out;
  bool strip_first_space = false;  ///< of the text that tokens give
  std::vector<int32_t> prefix;     ///< put before a text: bos
  std::vector<int32_t> suffix;     ///< put behind it: eos
};

/// The data of one tokenizer; V tokens. Ids are -1 where the model has none. Source: GGUF
/// specification, tokenizer.ggml.*.
struct Vocabulary {
  std::string model;                 ///< "gpt2": byte-level BPE; "llama": SentencePiece's BPE
  std::string pre;                   ///< "gpt2" only, the pre-tokenizer: "smollm", "qwen2", ...
  std::vector<std::string> tokens;   ///< [V]
  std::vector<int32_t> token_types;  ///< [V] values of TokenType; empty: all normal
  std::vector<std::string> merges;   ///< "gpt2" only: "left right", best first
  std::vector<float> scores;  ///< [V], "llama" only: of neighbours the best scored merge first
  int32_t bos = -1;
  int32_t eos = -1;
  int32_t eot = -1;
  int32_t pad = -1;
  int32_t unk = -1;
  std::vector<int32_t> end_tokens;  ///< further ones that end a generation
  std::optional<bool> add_bos;  ///< not said: as models with this pre-tokenizer do (Llama 3: yes)
  bool add_eos = false;
  /// "llama" only: how text gets a space in front, if it does: one of the kinds that prepend.
  std::optional<NormalizerStep::Kind> space_prefix = NormalizerStep::Kind::prepend;
  bool strip_behind_control = false;    ///< control tokens take the spaces behind them (Phi-3)
  std::optional<TokenizerRules> rules;  ///< in place of pre, merges, scores, add_*

  TokenType type(int32_t id) const {
    return token_types.empty() ? TokenType::normal
                               : static_cast<TokenType>(token_types[static_cast<size_t>(id)]);
  }
};

/// Throws Error if the lists differ in length, a type, an id or a score is out of range, a token is
/// not UTF-8, or the tokenizer model is not one we have.
void check_vocabulary(const Vocabulary& vocabulary);

}  // namespace colonnade::text
