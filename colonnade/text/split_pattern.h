// A regular expression that runs over one byte per character.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace colonnade::text {

/// Finds the matches of an expression of regex_parser.h.
///
/// It does not run over the text but over its *classes*: ASCII is itself, any other character is
/// one of at most 128 bytes, all characters that the expression cannot tell apart being the same
/// byte. So the Unicode version is that of our tables whatever PCRE2 knows, and PCRE2's slow UTF
/// mode is not needed. Immutable; several threads may use it at once.
class SplitPattern {
 public:
  /// Characters [begin, end).
  struct Match {
    size_t begin;
    size_t end;
  };

  /// Throws Error if `regex` is none that we can read.
  explicit SplitPattern(std::string_view regex);
  ~SplitPattern();
  SplitPattern(SplitPattern&&) noexcept;

  /// The classes of `text`, valid UTF-8; of ASCII it is the text.
  std::string classes(std::string_view text) const;

  /// Replaces `*matches` by those in `classes`, from left to right; empty ones are left out. Throws
  /// Error if the expression needs too many steps: a text of another's must not stop the program.
  void find_all(std::string_view classes, std::vector<Match>* matches) const;

 private:
  struct Program;
  std::unique_ptr<const Program> program_;
};

}  // namespace colonnade::text
