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
  metaspace    ///< SentencePiece: U+2581 is a space, <0xNN> a byte, the text starts with one space
               ///< too many
};

/// The bytes of every token, and which tokens are control tokens. Immutable.
class Pieces {
 public:
  Pieces(const Vocabulary& vocabulary, Spelling spelling);

  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }

  /// The bytes of token `id`: for control and user-defined tokens their own text. They may be a
  /// part of a character. Throws Error if `id` is not a token.
  std::string_view bytes(int32_t id) const;

  /// True for control and unknown tokens, which are no part of the text. Throws Error if `id` is
  /// not a token.
  bool is_control(int32_t id) const;

  Spelling spelling() const { return spelling_; }

 private:
  void check_id(int32_t id) const;

  Spelling spelling_;
  std::string pool_;
  std::vector<uint64_t> offsets_;  // [V + 1] into pool_
  std::vector<bool> control_;      // [V]
};

}  // namespace colonnade::text
