// Finds the tokens that are written out in a text: control tokens and user-defined ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/vocabulary.h"

namespace colonnade::text {

/// Bytes [begin, end) of a text.
struct ByteRange {
  size_t begin;
  size_t end;
};

/// A token that was found in a text, or the ordinary text between two.
struct Segment {
  ByteRange range;
  int32_t token;  ///< -1: ordinary text

  bool is_text() const { return token < 0; }
};

/// The written-out tokens of a vocabulary: those that its rules name, or all control, unknown and
/// user-defined ones.
std::vector<WrittenToken> written_tokens(const Vocabulary& vocabulary);

/// Finds tokens in texts. Immutable.
class SpecialTokens {
 public:
  /// Throws Error if two have the same text.
  explicit SpecialTokens(std::vector<WrittenToken> tokens);

  bool empty() const { return entries_.empty(); }

  /// Cuts `text` at the tokens in it: leftmost first, of several at one place the longest.
  /// User-defined tokens are found everywhere, control tokens only where they lie wholly in one of
  /// the `trusted` ranges, which are ascending and disjoint.
  std::vector<Segment> split(std::string_view text, const std::vector<ByteRange>& trusted) const;

 private:
  // The longest entry at `pos` that is user-defined or ends by `trusted_end`; null if none.
  const WrittenToken* longest_at(std::string_view text, size_t pos, size_t trusted_end) const;

  std::vector<WrittenToken> entries_;  // by text
  std::vector<bool> starts_;           // [256]: some entry starts with this byte
};

}  // namespace colonnade::text
