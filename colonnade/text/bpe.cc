#include "colonnade/text/bpe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "colonnade/base/error.h"
#include "colonnade/text/byte_alphabet.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

constexpr std::string_view kMetaspace = "\u2581";

UnknownText unknown_of(const Vocabulary& v) {
  if (v.rules) return v.rules->unknown;
  return v.model == "llama" && v.unk >= 0 ? UnknownText::unk_for_all : UnknownText::left_out;
}

bool is_mergeable_run(const Vocabulary& v, int32_t id) {
  return v.model == "llama" && !v.rules &&
         is_space_run(v.tokens[static_cast<size_t>(id)], v.type(id));
}

}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, const Pieces& pieces, WholeWords whole_words)
    : pieces_(pieces),
      tokens_(pieces),
      merges_(vocabulary.rules ? vocabulary.rules->merges.size() : vocabulary.merges.size()),
      whole_words_(whole_words),
      unknown_(unknown_of(vocabulary)),
      unk_(vocabulary.unk) {
  add_tokens(vocabulary);
  add_merges(vocabulary);
  find_joints();
}

void Bpe::add_tokens(const Vocabulary& vocabulary) {
  token_of_byte_.fill(-1);
  const bool byte_level = pieces_.spelling() == Spelling::byte_level;
  for (int32_t id = 0; id < pieces_.size(); ++id) {
    const std::string_view bytes = pieces_.bytes(id);
    const TokenType type = vocabulary.type(id);
    if (type == TokenType::byte && !byte_level) token_of_byte_[byte_of_token(bytes)] = id;
    const bool merges = type == TokenType::normal || is_mergeable_run(vocabulary, id);
    if (!merges || !pieces_.is_spelled(id)) continue;
    const int32_t other = tokens_.insert(id);
    CN_CHECK(other < 0, "tokenizer: tokens ", other, " and ", id, " are both '",
             vocabulary.tokens[static_cast<size_t>(id)], "'");
    if (byte_level && bytes.size() == 1) token_of_byte_[static_cast<uint8_t>(bytes[0])] = id;
  }
}

void Bpe::add_merges(const Vocabulary& vocabulary) {
  if (vocabulary.rules) {
    int32_t rank = 0;
    for (const TokenMerge& m : vocabulary.rules->merges)
      merges_.insert(m.left, m.right, {rank++, m.token});
  } else if (pieces_.spelling() == Spelling::as_written) {
    rank_by_score(vocabulary);
  } else {
    std::string bytes;
    for (size_t i = 0; i < vocabulary.merges.size(); ++i)
      add_merge(vocabulary.merges[i], static_cast<int32_t>(i), &bytes);
  }
}

void Bpe::add_merge(std::string_view merge, int32_t rank, std::string* bytes) {
  const auto refuse = [&](const char* why) {
    throw Error(concat("tokenizer: tokenizer.ggml.merges[", rank, "] '", merge, "': ", why));
  };
  const size_t space = merge.find(' ');
  if (space == std::string_view::npos || merge.find(' ', space + 1) != std::string_view::npos) {
    refuse("expected two tokens and one space between them");
  }
  bytes->clear();
  const bool left_good = append_bytes_of_spelling(merge.substr(0, space), bytes);
  const size_t left_size = bytes->size();
  const bool right_good = append_bytes_of_spelling(merge.substr(space + 1), bytes);
  if (!left_good || !right_good) refuse("expected characters of the byte alphabet");
  const std::string_view both = *bytes;
  const int32_t left = tokens_.find(both.substr(0, left_size));
  const int32_t right = tokens_.find(both.substr(left_size));
  const int32_t token = tokens_.find(both);
  if (left < 0 || right < 0 || token < 0) refuse("expected tokens, but one of the three is none");
  merges_.insert(left, right, {rank, token});
}

void Bpe::rank_by_score(const Vocabulary& vocabulary) {
  std::vector<int32_t> order(vocabulary.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<float> scores = vocabulary.scores;
  for (const int32_t id : order) {
    if (is_mergeable_run(vocabulary, id))
      scores[static_cast<size_t>(id)] = std::numeric_limits<float>::infinity();
  }
  const auto score = [&](int32_t id) { return scores[static_cast<size_t>(id)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return score(a) > score(b); });
  rank_.resize(scores.size());
  int32_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    // Runs of spaces have no score of their own: the shorter, which comes first, merges first.
    const bool tie =
        i > 0 && score(order[i]) == score(order[i - 1]) && std::isfinite(score(order[i]));
    if (!tie) ++rank;
    rank_[static_cast<size_t>(order[i])] = rank;
  }
}

void Bpe::find_joints() {
  const bool apart = pieces_.spelling() == Spelling::as_written &&
                     whole_words_ == WholeWords::by_merges && tokens_.find(kMetaspace) >= 0;
  if (!apart) joined_.set();
  for (int32_t id = 0; apart && id < pieces_.size(); ++id) {
    const std::string_view text = pieces_.bytes(id);
    for (size_t pos = 1; (pos = text.find(kMetaspace, pos)) != std::string_view::npos; ++pos)
      joined_.set(static_cast<uint8_t>(text[pos - 1]));
  }
}

size_t Bpe::part_end(std::string_view word, size_t begin) const {
  if (joined_.all()) return word.size();
  for (size_t pos = begin + 1; (pos = word.find(kMetaspace, pos)) != std::string_view::npos;
       ++pos) {
    if (!joined_[static_cast<uint8_t>(word[pos - 1])]) return pos;
  }
  return word.size();
}

std::optional<int32_t> Bpe::token_of(std::string_view bytes) const {
  int32_t token = -1;
  if (pieces_.spelling() == Spelling::byte_level) {
    token = tokens_.find(bytes);
  } else {
    token = tokens_.find(with_metaspaces(bytes));
    if (token < 0 && bytes.size() == 1) token = token_of_byte_[static_cast<uint8_t>(bytes[0])];
  }
  return token < 0 ? std::nullopt : std::optional(token);
}

// Merges one word after the other; its buffers are used again for each.
class Bpe::Merger {
 public:
  explicit Merger(const Bpe& bpe) : bpe_(bpe) {}

  void encode(std::string_view word, std::vector<int32_t>* ids) {
    CN_CHECK(word.size() < std::numeric_limits<int32_t>::max(),
             "tokenizer: expected words of less than 2 GiB, got one of ", word.size(), " bytes");
    word_ = word;
    symbols_.clear();
    heap_.clear();
    if (bpe_.pieces_.spelling() == Spelling::byte_level) {
      begin_as_bytes();
    } else {
      begin_as_characters();
    }
    if (symbols_.empty()) return;
    symbols_.back().next = -1;
    for (int32_t at = 0; at + 1 < static_cast<int32_t>(symbols_.size()); ++at) add_candidate(at);
    std::make_heap(heap_.begin(), heap_.end(), later);
    while (!heap_.empty()) merge_best();
    append_tokens(ids);
  }

 private:
  // A list of what the word consists of: bytes [begin, begin + size) of it. One that was merged
  // into the one before it has size 0.
  struct Symbol {
    int32_t token;  // -1: none stands for it
    int32_t prev;
    int32_t next;
    uint32_t begin;
    uint32_t size;
  };

  // A merge that was possible when it was put into the heap. Symbols only grow, so it still is if
  // the two still have this size.
  struct Candidate {
    uint64_t order;  // rank, then place: smallest first
    int32_t token;
    uint32_t size;
  };

  static bool later(const Candidate& a, const Candidate& b) { return a.order > b.order; }

  Symbol& symbol(int32_t at) { return symbols_[static_cast<size_t>(at)]; }

  void add_symbol(int32_t token, size_t begin, size_t size) {
    const int32_t at = static_cast<int32_t>(symbols_.size());
    symbols_.push_back(
        {token, at - 1, at + 1, static_cast<uint32_t>(begin), static_cast<uint32_t>(size)});
  }

  void begin_as_bytes() {
    for (size_t i = 0; i < word_.size(); ++i) {
      const int32_t token = bpe_.token_of_byte_[static_cast<uint8_t>(word_[i])];
      if (token >= 0 || bpe_.unknown_ != UnknownText::left_out) add_symbol(token, i, 1);
    }
  }

  void begin_as_characters() {
    for (size_t pos = 0; pos < word_.size();) {
      const size_t begin = pos;
      next_code_point(word_, &pos);
      const std::string_view character = word_.substr(begin, pos - begin);
      const int32_t token = bpe_.tokens_.find(character);
      if (token >= 0 || bpe_.unknown_ != UnknownText::left_out || spelled_in_bytes(character))
        add_symbol(token, begin, pos - begin);
    }
  }

  bool spelled_in_bytes(std::string_view text) const {
    if (bpe_.pieces_.spelling() == Spelling::byte_level) return false;
    return std::all_of(text.begin(), text.end(),
                       [&](char c) { return bpe_.token_of_byte_[static_cast<uint8_t>(c)] >= 0; });
  }

  Merge find_merge(const Symbol& left, const Symbol& right) const {
    constexpr Merge kNone{0, -1};
    if (bpe_.rank_.empty()) {
      const Merge* merge =
          left.token < 0 || right.token < 0 ? nullptr : bpe_.merges_.find(left.token, right.token);
      return merge ? *merge : kNone;
    }
    if (left.begin + left.size != right.begin) return kNone;
    const int32_t token = bpe_.tokens_.find(word_.substr(left.begin, left.size + right.size));
    return token < 0 ? kNone : Merge{bpe_.rank_[static_cast<size_t>(token)], token};
  }

  bool add_candidate(int32_t at) {
    const Symbol& left = symbol(at);
    const Symbol& right = symbol(left.next);
    const Merge merge = find_merge(left, right);
    if (merge.token < 0) return false;
    const uint64_t order =
        uint64_t{static_cast<uint32_t>(merge.rank)} << 32 | static_cast<uint32_t>(at);
    heap_.push_back({order, merge.token, left.size + right.size});
    return true;
  }

  void push_candidate(int32_t at) {
    if (add_candidate(at)) std::push_heap(heap_.begin(), heap_.end(), later);
  }

  void merge_best() {
    const Candidate best = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    const int32_t at = static_cast<int32_t>(best.order & 0xFFFFFFFF);
    Symbol& left = symbol(at);
    if (left.size == 0 || left.next < 0) return;
    Symbol& right = symbol(left.next);
    if (left.size + right.size != best.size) return;
    left.token = best.token;
    left.size = best.size;
    left.next = right.next;
    right.size = 0;
    if (left.next >= 0) {
      symbol(left.next).prev = at;
      push_candidate(at);
    }
    if (left.prev >= 0) push_candidate(left.prev);
  }

  void append_tokens(std::vector<int32_t>* ids) {
    bool behind_unknown = false;
    for (int32_t at = 0; at >= 0; at = symbol(at).next) {
      const Symbol& s = symbol(at);
      const std::string_view text = word_.substr(s.begin, s.size);
      const bool unknown = s.token < 0 && !spelled_in_bytes(text);
      if (s.token >= 0) {
        ids->push_back(s.token);
      } else if (!unknown) {
        for (const char c : text) ids->push_back(bpe_.token_of_byte_[static_cast<uint8_t>(c)]);
      } else if (!behind_unknown || bpe_.unknown_ == UnknownText::unk_each) {
        ids->push_back(bpe_.unk_);
      }
      behind_unknown = unknown;
    }
  }

  const Bpe& bpe_;
  std::string_view word_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> heap_;
};

void Bpe::encode(const std::vector<std::string_view>& words, std::vector<int32_t>* ids) const {
  // Words repeat, so the tokens of the last word with the same hash are kept: a range of `ids`.
  struct Known {
    std::string_view word;
    size_t begin;
    size_t count;
  };
  constexpr size_t kMaxKnown = 1 << 14;  // 512 KiB: stays in the second-level cache
  constexpr size_t kBytesPerPart = 8;
  const bool whole = joined_.all() || words.empty();
  const size_t parts = whole ? words.size() : words.size() + words[0].size() / kBytesPerPart;
  std::vector<Known> known(std::bit_ceil(std::clamp<size_t>(parts, 1, kMaxKnown)));
  Merger merger(*this);
  const auto encode_part = [&](std::string_view word) {
    Known& entry = known[std::hash<std::string_view>()(word) & (known.size() - 1)];
    if (entry.word == word) {
      for (size_t i = 0; i < entry.count; ++i) ids->push_back((*ids)[entry.begin + i]);
      return;
    }
    const size_t begin = ids->size();
    const int32_t token = whole_words_ == WholeWords::at_once ? tokens_.find(word) : -1;
    if (token >= 0) {
      ids->push_back(token);
    } else {
      merger.encode(word, ids);
    }
    entry = {word, begin, ids->size() - begin};
  };
  for (const std::string_view word : words) {
    for (size_t begin = 0; begin < word.size();) {
      const size_t end = part_end(word, begin);
      encode_part(word.substr(begin, end - begin));
      begin = end;
    }
  }
}

}  // namespace colonnade::text
