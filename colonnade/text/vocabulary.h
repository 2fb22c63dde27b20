// The plain data of a tokenizer, as a model file gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// GGUF's tokenizer.ggml.*; V tokens. Ids are -1 where the model has none.
struct Vocabulary {
  std::string model;                 ///< "gpt2": byte-level BPE
  std::string pre;                   ///< the pre-tokenizer: "smollm", "qwen2", "llama-bpe", "gpt-2"
  std::vector<std::string> tokens;   ///< [V]
  std::vector<int32_t> token_types;  ///< [V] values of TokenType; empty: all normal
  std::vector<std::string> merges;   ///< "left right", best first
  std::vector<float> scores;         ///< [V] or empty; byte-level BPE has no use for them
  int32_t bos = -1;
  int32_t eos = -1;
  int32_t eot = -1;
  int32_t pad = -1;
  int32_t unk = -1;
  std::optional<bool> add_bos;  ///< not said: as models with this pre-tokenizer do (Llama 3: yes)
  bool add_eos = false;

  TokenType type(int32_t id) const {
    return token_types.empty() ? TokenType::normal
                               : static_cast<TokenType>(token_types[static_cast<size_t>(id)]);
  }
};

/// Throws Error if the lists differ in length, a type or an id is out of range, a token is not
/// UTF-8, or the tokenizer model is not one we have.
void check_vocabulary(const Vocabulary& vocabulary);

}  // namespace colonnade::text
