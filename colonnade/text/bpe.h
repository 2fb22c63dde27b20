// Byte-pair merging: from words to token ids.
#pragma once

#include <array>
#include <bitset>
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

/// BPE over bytes or over characters. Source: Sennrich et al. 2016, "Neural Machine Translation of
/// Rare Words with Subword Units"; bytes as in the released encoder of GPT-2; merges by score and
/// bytes for rare characters as in Kudo & Richardson 2018, "SentencePiece". Immutable; several
/// threads may use it at once.
class Bpe {
 public:
  /// `pieces` must outlive it; spelled at byte level, words begin as bytes, as_written as
  /// characters. Throws Error if two normal tokens are the same, or a merge is not one of tokens to
  /// a token.
  Bpe(const Vocabulary& vocabulary, const Pieces& pieces, WholeWords whole_words);

  /// Appends the tokens of the `words`, each by itself, to `ids`: of all neighbours the pair of
  /// best rank, leftmost first, is merged until none is left. What no token stands for becomes its
  /// byte tokens or what UnknownText says. Time n log n.
  void encode(const std::vector<std::string_view>& words, std::vector<int32_t>* ids) const;

  /// The token that stands for `bytes`.
  std::optional<int32_t> token_of(std::string_view bytes) const;

 private:
  class Merger;

  void add_tokens(const Vocabulary& vocabulary);
  void add_merges(const Vocabulary& vocabulary);
  // `bytes` is for its own use.
  void add_merge(std::string_view merge, int32_t rank, std::string* bytes);
  void rank_by_score(const Vocabulary& vocabulary);
  void find_joints();
  // The end of the part of `word` that begins at `begin`: no merge reaches across it.
  size_t part_end(std::string_view word, size_t begin) const;

  const Pieces& pieces_;
  TokenTable tokens_;                       // the normal ones
  std::array<int32_t, 256> token_of_byte_;  // -1: none
  MergeTable merges_;
  std::vector<int32_t> rank_;  // [V] of each as the result of a merge, by score; empty: by merges_
  // Some token has U+2581 in it behind this byte; all ones: words are not to be taken apart.
  std::bitset<256> joined_;
  WholeWords whole_words_;
  UnknownText unknown_;
  int32_t unk_;
};

}  // namespace colonnade::text
