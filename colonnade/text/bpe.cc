#include "colonnade/text/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "colonnade/base/error.h"
#include "colonnade/text/byte_alphabet.h"

namespace colonnade::text {

Bpe::Bpe(const Vocabulary& vocabulary, const Pieces& pieces, WholeWords whole_words)
    : tokens_(pieces), merges_(vocabulary.merges.size()), whole_words_(whole_words) {
  token_of_byte_.fill(-1);
  for (int32_t id = 0; id < pieces.size(); ++id) {
    if (vocabulary.type(id) != TokenType::normal) continue;
    const int32_t other = tokens_.insert(id);
    CN_CHECK(other < 0, "tokenizer: tokens ", other, " and ", id, " are both '",
             vocabulary.tokens[static_cast<size_t>(id)], "'");
    const std::string_view bytes = pieces.bytes(id);
    if (bytes.size() == 1) token_of_byte_[static_cast<uint8_t>(bytes[0])] = id;
  }
  std::string bytes;
  for (size_t i = 0; i < vocabulary.merges.size(); ++i) {
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

std::optional<int32_t> Bpe::token_of(std::string_view bytes) const {
  const int32_t token = tokens_.find(bytes);
  return token < 0 ? std::nullopt : std::optional(token);
}

// Merges one word after the other; its buffers are used again for each.
class Bpe::Merger {
 public:
  explicit Merger(const Bpe& bpe) : bpe_(bpe) {}

  void encode(std::string_view word, std::vector<int32_t>* ids) {
    symbols_.clear();
    heap_.clear();
    for (const char c : word) {
      const int32_t token = bpe_.token_of_byte_[static_cast<uint8_t>(c)];
      if (token < 0) continue;
      const int32_t at = static_cast<int32_t>(symbols_.size());
      symbols_.push_back({token, at - 1, at + 1});
    }
    if (symbols_.empty()) return;
    symbols_.back().next = -1;
    for (int32_t at = 0; at + 1 < static_cast<int32_t>(symbols_.size()); ++at) add_candidate(at);
    std::make_heap(heap_.begin(), heap_.end(), later);
    while (!heap_.empty()) merge_best();
    for (int32_t at = 0; at >= 0; at = symbol(at).next) ids->push_back(symbol(at).token);
  }

 private:
  // A list of what the word consists of; a symbol that was merged into the one before it has token
  // -1.
  struct Symbol {
    int32_t token;
    int32_t prev;
    int32_t next;
  };

  // A merge that was possible when it was put into the heap.
  struct Candidate {
    uint64_t order;  // rank, then place: smallest first
    int32_t left;
    int32_t right;
  };

  static bool later(const Candidate& a, const Candidate& b) { return a.order > b.order; }

  Symbol& symbol(int32_t at) { return symbols_[static_cast<size_t>(at)]; }

  bool add_candidate(int32_t at) {
    const int32_t left = symbol(at).token;
    const int32_t right = symbol(symbol(at).next).token;
    const Merge* merge = bpe_.merges_.find(left, right);
    if (!merge) return false;
    const uint64_t order =
        uint64_t{static_cast<uint32_t>(merge->rank)} << 32 | static_cast<uint32_t>(at);
    heap_.push_back({order, left, right});
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
    if (left.token != best.left || left.next < 0 || symbol(left.next).token != best.right) return;
    Symbol& right = symbol(left.next);
    left.token = bpe_.merges_.find(best.left, best.right)->token;
    left.next = right.next;
    right.token = -1;
    if (left.next >= 0) {
      symbol(left.next).prev = at;
      push_candidate(at);
    }
    if (left.prev >= 0) push_candidate(left.prev);
  }

  const Bpe& bpe_;
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
  std::vector<Known> known(std::bit_ceil(std::clamp<size_t>(words.size(), 1, kMaxKnown)));
  Merger merger(*this);
  for (const std::string_view word : words) {
    Known& entry = known[std::hash<std::string_view>()(word) & (known.size() - 1)];
    if (entry.word == word) {
      for (size_t i = 0; i < entry.count; ++i) ids->push_back((*ids)[entry.begin + i]);
      continue;
    }
    const size_t begin = ids->size();
    const int32_t token = whole_words_ == WholeWords::at_once ? tokens_.find(word) : -1;
    if (token >= 0) {
      ids->push_back(token);
    } else {
      merger.encode(word, ids);
    }
    entry = {word, begin, ids->size() - begin};
  }
}

}  // namespace colonnade::text
