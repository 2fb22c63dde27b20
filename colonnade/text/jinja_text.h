// A string that remembers, byte by byte, who wrote it: the template (trusted) or the caller
// (untrusted). Every string of a template is one of these, and every operation on strings is built
// from append and slice, so marks cannot get lost.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/text_span.h"

namespace colonnade::text::jinja {

/// UTF-8 bytes with a trust mark on each, kept as runs.
class Text {
 public:
  Text() = default;
  Text(std::string_view chars, bool trusted) { append(chars, trusted); }

  const std::string& chars() const { return chars_; }
  size_t size() const { return chars_.size(); }  // bytes
  bool empty() const { return chars_.empty(); }

  /// True if the template wrote every byte of [begin, end); true for an empty range.
  bool trusted(size_t begin, size_t end) const;
  bool trusted() const { return trusted(0, size()); }

  void append(std::string_view chars, bool trusted);
  void append(const Text& other) { append(other, 0, other.size()); }
  /// Appends bytes [begin, end) of `other` with their marks. `other` is not this text.
  void append(const Text& other, size_t begin, size_t end);

  /// Bytes [begin, end) with their marks.
  Text slice(size_t begin, size_t end) const;

  /// The text cut where the author changes; empty for an empty text.
  std::vector<TextSpan> spans() const;

 private:
  struct Run {
    size_t end;  // first byte behind the run
    bool trusted;
  };
  std::vector<Run>::const_iterator run_at(size_t byte) const;

  std::string chars_;
  std::vector<Run> runs_;  // in order, the last one ends at size(); neighbours differ
};

}  // namespace colonnade::text::jinja
