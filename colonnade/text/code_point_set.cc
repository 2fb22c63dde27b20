#include "colonnade/text/code_point_set.h"

#include <algorithm>

#include "colonnade/text/unicode_ranges.h"

namespace colonnade::text {
namespace {

// The code points of the ranges that `wanted` chooses.
template <typename Wanted>
CodePointSet set_of(Wanted wanted) {
  CodePointSet set;
  const auto ranges = unicode_ranges();
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (!wanted(ranges[i])) continue;
    const char32_t end = i + 1 < ranges.size() ? ranges[i + 1].first : kCodePoints;
    set.add(CodePointSet(ranges[i].first, end - 1));
  }
  return set;
}

std::optional<uint8_t> flag_of(std::string_view name) {
  if (name == "s") return kSpace;
  if (name == "w") return kWord;
  if (name == "Digits") return kDigit;
  return std::nullopt;
}

bool is_category(std::string_view name) {
  return std::any_of(std::begin(kCategories), std::end(kCategories),
                     [&](std::string_view c) { return c == name || c.substr(0, 1) == name; });
}

}  // namespace

void CodePointSet::add(const CodePointSet& other) {
  // Ranges mostly come in order, and then stand behind all there are.
  if (!other.edges_.empty() && (edges_.empty() || edges_.back() < other.edges_.front())) {
    edges_.insert(edges_.end(), other.edges_.begin(), other.edges_.end());
    return;
  }
  std::vector<char32_t> edges;
  size_t a = 0, b = 0;
  bool inside = false;
  while (a < edges_.size() || b < other.edges_.size()) {
    const char32_t x = a < edges_.size() ? edges_[a] : kCodePoints + 1;
    const char32_t y = b < other.edges_.size() ? other.edges_[b] : kCodePoints + 1;
    const char32_t edge = std::min(x, y);
    if (x == edge) ++a;
    if (y == edge) ++b;
    const bool now = a % 2 == 1 || b % 2 == 1;
    if (now != inside) edges.push_back(edge);
    inside = now;
  }
  edges_ = std::move(edges);
}

CodePointSet CodePointSet::complement() const {
  CodePointSet out;
  auto begin = edges_.begin();
  if (begin != edges_.end() && *begin == 0) {
    ++begin;
  } else {
    out.edges_.push_back(0);
  }
  out.edges_.insert(out.edges_.end(), begin, edges_.end());
  if (!out.edges_.empty() && out.edges_.back() == kCodePoints) {
    out.edges_.pop_back();
  } else {
    out.edges_.push_back(kCodePoints);
  }
  return out;
}

bool CodePointSet::contains(char32_t c) const {
  return (std::upper_bound(edges_.begin(), edges_.end(), c) - edges_.begin()) % 2 == 1;
}

std::optional<CodePointSet> property_set(std::string_view name) {
  if (const auto flag = flag_of(name))
    return set_of([&](const UnicodeRange& r) { return (r.flags & *flag) != 0; });
  if (name.empty() || !is_category(name)) return std::nullopt;
  return set_of([&](const UnicodeRange& r) {
    return std::string_view(kCategories[r.category]).substr(0, name.size()) == name;
  });
}

CodePointSet any_case(char c) {
  const auto code = static_cast<unsigned char>(c);
  CodePointSet set(code, code);
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (!letter) return set;
  set.add(CodePointSet(code ^ 0x20u, code ^ 0x20u));
  if (c == 's' || c == 'S')
    set.add(set_of([](const UnicodeRange& r) { return (r.flags & kFoldsToS) != 0; }));
  if (c == 'k' || c == 'K') set.add(CodePointSet(0x212A, 0x212A));  // the sign of the kelvin
  return set;
}

}  // namespace colonnade::text
