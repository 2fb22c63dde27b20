#include "colonnade/text/nfc.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

struct CombiningRange {
  char32_t first;
  char32_t last;
  uint8_t combining_class;
};

struct Decomposition {
  char32_t whole;
  char32_t first;
  char32_t second;  // 0: `whole` is another name of `first`
  bool composes;    // false: first + second is never put together again
};

struct CodePointRange {
  char32_t first;
  char32_t last;
};

#include "colonnade/text/nfc_tables.inc"

constexpr char32_t kHangulBase = 0xAC00, kLeadBase = 0x1100, kVowelBase = 0x1161,
                   kTailBase = 0x11A7;
constexpr char32_t kLeads = 19, kVowels = 21, kTails = 28, kSyllables = kLeads * kVowels * kTails;

template <typename Range, size_t kCount>
const Range* find_range(const Range (&ranges)[kCount], char32_t c) {
  const Range* range = std::lower_bound(std::begin(ranges), std::end(ranges), c,
                                        [](const Range& r, char32_t x) { return r.last < x; });
  return range != std::end(ranges) && range->first <= c ? range : nullptr;
}

uint8_t combining_class(char32_t c) {
  if (c < 0x300) return 0;
  const CombiningRange* range = find_range(kCombiningRanges, c);
  return range ? range->combining_class : 0;
}

struct Mark {
  char32_t c;
  uint8_t combining_class;
};

void decompose(char32_t c, std::vector<Mark>* out) {
  if (c >= kHangulBase && c < kHangulBase + kSyllables) {
    const char32_t s = c - kHangulBase;
    out->push_back({kLeadBase + s / (kVowels * kTails), 0});
    out->push_back({kVowelBase + s % (kVowels * kTails) / kTails, 0});
    if (s % kTails != 0) out->push_back({kTailBase + s % kTails, 0});
    return;
  }
  const Decomposition* d =
      c < 0xC0 ? std::end(kDecompositions)
               : std::lower_bound(std::begin(kDecompositions), std::end(kDecompositions), c,
                                  [](const Decomposition& x, char32_t y) { return x.whole < y; });
  if (d == std::end(kDecompositions) || d->whole != c) {
    out->push_back({c, combining_class(c)});
    return;
  }
  decompose(d->first, out);
  if (d->second != 0) decompose(d->second, out);
}

void sort_marks(std::vector<Mark>* marks) {
  const auto is_starter = [](const Mark& m) { return m.combining_class == 0; };
  auto begin = marks->begin();
  while (begin != marks->end()) {
    begin = std::find_if_not(begin, marks->end(), is_starter);
    const auto end = std::find_if(begin, marks->end(), is_starter);
    std::stable_sort(begin, end, [](const Mark& a, const Mark& b) {
      return a.combining_class < b.combining_class;
    });
    begin = end;
  }
}

uint64_t pair_key(char32_t first, char32_t second) { return uint64_t{first} << 32 | second; }

const std::unordered_map<uint64_t, char32_t>& compositions() {
  static const std::unordered_map<uint64_t, char32_t> map = [] {
    std::unordered_map<uint64_t, char32_t> m;
    for (const Decomposition& d : kDecompositions) {
      if (d.composes) m.emplace(pair_key(d.first, d.second), d.whole);
    }
    return m;
  }();
  return map;
}

// The character that `first` and `second` compose to; 0 if none.
char32_t composed(char32_t first, char32_t second) {
  if (first >= kLeadBase && first < kLeadBase + kLeads && second >= kVowelBase &&
      second < kVowelBase + kVowels) {
    return kHangulBase + ((first - kLeadBase) * kVowels + (second - kVowelBase)) * kTails;
  }
  if (first >= kHangulBase && first < kHangulBase + kSyllables &&
      (first - kHangulBase) % kTails == 0 && second > kTailBase && second < kTailBase + kTails) {
    return first + (second - kTailBase);
  }
  const auto it = compositions().find(pair_key(first, second));
  return it == compositions().end() ? 0 : it->second;
}

// A mark reaches the last starter unless something of its own class or higher stands between them
// (it is "blocked").
void compose(std::vector<Mark>* marks) {
  size_t kept = 0;
  int64_t starter = -1;
  int last_class = -1;  // of what was kept since the starter; -1: nothing
  for (const Mark& m : *marks) {
    if (starter >= 0 && last_class < m.combining_class) {
      char32_t& base = (*marks)[static_cast<size_t>(starter)].c;
      if (const char32_t whole = composed(base, m.c)) {
        base = whole;
        continue;
      }
    }
    if (m.combining_class == 0) {
      starter = static_cast<int64_t>(kept);
      last_class = -1;
    } else {
      last_class = m.combining_class;
    }
    (*marks)[kept++] = m;
  }
  marks->resize(kept);
}

}  // namespace

bool is_surely_nfc(std::string_view text) noexcept {
  size_t pos = 0;
  while (pos < text.size()) {
    const char32_t c = next_code_point(text, &pos);
    if (c >= 0x300 && find_range(kUnsettledRanges, c)) return false;
  }
  return true;
}

std::string to_nfc(std::string_view text) {
  std::vector<Mark> marks;
  marks.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) decompose(next_code_point(text, &pos), &marks);
  sort_marks(&marks);
  compose(&marks);
  std::string out;
  out.reserve(text.size());
  for (const Mark& m : marks) append_utf8(&out, m.c);
  return out;
}

}  // namespace colonnade::text
