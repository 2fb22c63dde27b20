// What each token of a vocabulary stands for, in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/vocabulary.h"

namespace colonnade::text {

/// How a vocabulary spells text.
enum class Spelling {
  byte_level,  ///< each character is a byte (byte_alphabet.h)
  metaspace,   ///< SentencePiece: U+2581 is a space, <0xNN> a byte
  as_written   ///< as metaspace, but no byte or space: what text is compared with
};

/// The byte that a token "<0xNN>" stands for. Throws Error if it is spelled otherwise.
uint8_t byte_of_token(std::string_view token);

/// `text` as SentencePiece writes it: U+2581 in place of every space.
std::string with_metaspaces(std::string_view text);

/// Whether a user-defined token of a SentencePiece vocabulary is some spaces and nothing else.
/// Gemma has those of 2 to 31; Hugging Face `tokenizers` does not look for them but merges spaces
/// to them, which makes a difference in longer runs.
bool is_space_run(std::string_view token, TokenType type);

/// The bytes of every token, and which tokens are control tokens. Immutable.
class Pieces {
 public:
  Pieces(const Vocabulary& vocabulary, Spelling spelling);
  /// Of normal tokens, as they are written.
  explicit Pieces(const std::vector<std::string>& tokens);

  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }

  /// The bytes of token `id`: for control and user-defined tokens their own text. They may be a
  /// part of a character. Throws Error if `id` is not a token.
  std::string_view bytes(int32_t id) const;

  /// True for control and unknown tokens, which are no part of the text. Throws Error if `id` is
  /// not a token.
  bool is_control(int32_t id) const;

  /// False for a normal token of a byte-level vocabulary that no bytes can spell.
  bool is_spelled(int32_t id) const { return !misspelled_[static_cast<size_t>(id)]; }

  Spelling spelling() const { return spelling_; }

 private:
  void check_id(int32_t id) const;

  Spelling spelling_;
  std::string pool_;
  std::vector<uint64_t> offsets_;  // [V + 1] into pool_
  std::vector<bool> control_;      // [V]
  std::vector<bool> misspelled_;   // [V]
};

}  // namespace colonnade::text
