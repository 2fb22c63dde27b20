#include "colonnade/text/jinja_text.h"

#include <algorithm>

namespace colonnade::text::jinja {

std::vector<Text::Run>::const_iterator Text::run_at(size_t byte) const {
  return std::upper_bound(runs_.begin(), runs_.end(), byte,
                          [](size_t x, const Run& run) { return x < run.end; });
}

bool Text::trusted(size_t begin, size_t end) const {
  if (begin >= end) return true;
  for (auto run = run_at(begin); run != runs_.end(); ++run) {
    if (!run->trusted) return false;
    if (run->end >= end) break;
  }
  return true;
}

void Text::append(std::string_view chars, bool trusted) {
  if (chars.empty()) return;
  chars_ += chars;
  if (!runs_.empty() && runs_.back().trusted == trusted) {
    runs_.back().end = chars_.size();
  } else {
    runs_.push_back({chars_.size(), trusted});
  }
}

void Text::append(const Text& other, size_t begin, size_t end) {
  const std::string_view chars = other.chars_;
  for (auto run = other.run_at(begin); begin < end; ++run) {
    const size_t stop = std::min(end, run->end);
    append(chars.substr(begin, stop - begin), run->trusted);
    begin = stop;
  }
}

Text Text::slice(size_t begin, size_t end) const {
  Text out;
  out.append(*this, begin, end);
  return out;
}

std::vector<TextSpan> Text::spans() const {
  std::vector<TextSpan> out;
  size_t begin = 0;
  for (const Run& run : runs_) {
    out.push_back({chars_.substr(begin, run.end - begin), run.trusted});
    begin = run.end;
  }
  return out;
}

}  // namespace colonnade::text::jinja
