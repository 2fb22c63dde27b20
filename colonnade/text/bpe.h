// Byte-pair merging: from words to token ids.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/merge_table.h"
#include "colonnade/text/pieces.h"
#include "colonnade/text/token_table.h"
#include "colonnade/text/vocabulary.h"

namespace colonnade::text {

/// Whether a word that is a token is taken as it is, or still has to be reached by merges.
enum class WholeWords { by_merges, at_once };

/// Byte-level BPE. Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with
/// Subword Units"; bytes as in the released encoder of GPT-2. Immutable; several threads may use it
/// at once.
class Bpe {
 public:
  /// `pieces` must outlive it. Throws Error if two normal tokens are the same, or a merge is not
  /// one of tokens to a token.
  Bpe(const Vocabulary& vocabulary, const Pieces& pieces, WholeWords whole_words);

  /// Appends the tokens of the `words`, each by itself, to `ids`: of all neighbours the pair of
  /// best rank, leftmost first, is merged until none is left. A byte that no token stands for is
  /// left out, as in the reference. Time n log n.
  void encode(const std::vector<std::string_view>& words, std::vector<int32_t>* ids) const;

  /// The normal token that stands for `bytes`.
  std::optional<int32_t> token_of(std::string_view bytes) const;

 private:
  class Merger;

  // `bytes` is for its own use.
  void add_merge(std::string_view merge, int32_t rank, std::string* bytes);

  TokenTable tokens_;                       // the normal ones
  std::array<int32_t, 256> token_of_byte_;  // -1: none
  MergeTable merges_;
  WholeWords whole_words_;
};

}  // namespace colonnade::text
