// A regular expression that runs over one byte per character.
#pragma once

#include <chrono>
#include <cstddef>
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
  /// Characters [begin, end) of what was searched.
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

 private:
  friend class SplitSearch;
  struct Program;
  std::unique_ptr<const Program> program_;
};

/// The time that all searches in one text may take together: a file of another's must not stop the
/// program.
class SearchTime {
 public:
  explicit SearchTime(size_t text_size);
  /// Throws Error that names `regex` if it is over. Cheap.
  void check(std::string_view regex);

 private:
  using Clock = std::chrono::steady_clock;
  size_t text_size_;
  Clock::time_point begin_;
  unsigned calls_ = 0;
};

/// Looks for the matches of a pattern in the pieces of one text. Not thread-safe; pattern and time
/// must outlive it.
class SplitSearch {
 public:
  SplitSearch(const SplitPattern& pattern, SearchTime& time);
  ~SplitSearch();
  SplitSearch(const SplitSearch&) = delete;
  SplitSearch& operator=(const SplitSearch&) = delete;

  /// The first match that begins at `start` or behind it in `classes` and is not empty; false if
  /// there is none. Throws Error if the expression needs too many steps, or the time is over.
  bool next(std::string_view classes, size_t start, SplitPattern::Match* match);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace colonnade::text
