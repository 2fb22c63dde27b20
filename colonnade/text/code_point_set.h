// A set of Unicode code points.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace colonnade::text {

inline constexpr char32_t kCodePoints = 0x110000;

/// Kept as the places where membership changes, so that sets of many ranges are small.
class CodePointSet {
 public:
  CodePointSet() = default;
  CodePointSet(char32_t first, char32_t last) : edges_{first, last + 1} {}

  void add(const CodePointSet& other);
  CodePointSet complement() const;
  bool contains(char32_t c) const;

  /// Ascending: membership is no before the first and changes at each; the last may be kCodePoints.
  const std::vector<char32_t>& edges() const { return edges_; }

  bool operator==(const CodePointSet&) const = default;

 private:
  std::vector<char32_t> edges_;
};

/// What \p{name} stands for: a general category ("Lu"), a group of them ("L"), or one of the names
/// for \s, \w and the Digits pre-tokenizer: "s", "w", "Digits". Nothing if it is none of these.
std::optional<CodePointSet> property_set(std::string_view name);

/// The code points that match `c`, ASCII, when case is ignored.
CodePointSet any_case(char c);

}  // namespace colonnade::text
