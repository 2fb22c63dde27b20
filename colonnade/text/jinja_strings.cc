#include "colonnade/text/jinja_strings.h"

#include <algorithm>

#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

bool holds_char(std::string_view chars, char32_t c) {
  for (size_t pos = 0; pos < chars.size();) {
    if (next_char(chars, pos) == c) return true;
  }
  return false;
}

bool is_line_break(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

// Applies `map` to each character; what comes out has the mark of what went in.
template <typename Map>
Text map_chars(Runtime& rt, const Text& text, Map map) {
  TextBuilder out(rt);
  for (size_t pos = 0; pos < text.size();) {
    const size_t begin = pos;
    const char32_t c = next_char(text.chars(), pos);
    out.append(map(c, begin), text.trusted(begin, pos));
  }
  return out.take();
}

bool is_cased(char32_t c) { return is_lower(c) || is_upper(c) || is_title(c); }

// A capital sigma is written differently at the end of a word (Unicode, Final_Sigma).
std::string lower_at(std::string_view chars, char32_t c, size_t begin) {
  constexpr char32_t kSigma = 0x3A3;
  if (c != kSigma) return to_lower(c);
  size_t after = begin;
  next_char(chars, after);
  size_t p = after;
  const bool letter_after = p < chars.size() && is_cased(next_char(chars, p));
  size_t before = begin > 0 ? prev_char(chars, begin) : 0;
  const bool letter_before = begin > 0 && is_cased(next_char(chars, before));
  return letter_before && !letter_after ? "\xCF\x82" : "\xCF\x83";
}

void check_separator(Runtime& rt, const Text* separator) {
  if (separator != nullptr && separator->empty()) rt.fail("empty separator");
}

// End of the run of (non-)white space at `pos`.
size_t skip_while_space(const Text& text, size_t pos, bool space) {
  while (pos < text.size()) {
    size_t next = pos;
    if (is_space(next_char(text.chars(), next)) != space) break;
    pos = next;
  }
  return pos;
}

size_t skip_back_while_space(const Text& text, size_t end, bool space) {
  while (end > 0) {
    const size_t begin = prev_char(text.chars(), end);
    size_t pos = begin;
    if (is_space(next_char(text.chars(), pos)) != space) break;
    end = begin;
  }
  return end;
}

}  // namespace

Text strip(const Text& text, const Text* chars, Side side) {
  const auto strips = [&](char32_t c) {
    return chars == nullptr ? is_space(c) : holds_char(chars->chars(), c);
  };
  size_t begin = 0;
  size_t end = text.size();
  while (side != Side::right && begin < end) {
    size_t next = begin;
    if (!strips(next_char(text.chars(), next))) break;
    begin = next;
  }
  while (side != Side::left && begin < end) {
    const size_t last = prev_char(text.chars(), end);
    size_t pos = last;
    if (!strips(next_char(text.chars(), pos))) break;
    end = last;
  }
  return text.slice(begin, end);
}

std::vector<Text> split(Runtime& rt, const Text& text, const Text* separator, int64_t limit) {
  check_separator(rt, separator);
  rt.text_work(text.size(), 0);
  std::vector<Text> parts;
  size_t begin = separator == nullptr ? skip_while_space(text, 0, true) : 0;
  while (separator != nullptr || begin < text.size()) {
    rt.step();
    const bool may_cut = limit < 0 || static_cast<int64_t>(parts.size()) < limit;
    if (separator == nullptr) {
      // The last piece keeps all white space in it.
      const size_t end = may_cut ? skip_while_space(text, begin, false) : text.size();
      parts.push_back(text.slice(begin, end));
      begin = may_cut ? skip_while_space(text, end, true) : text.size();
    } else {
      const size_t end = may_cut ? text.chars().find(separator->chars(), begin) : std::string::npos;
      parts.push_back(text.slice(begin, std::min(end, text.size())));
      if (end == std::string::npos) break;
      begin = end + separator->size();
    }
  }
  return parts;
}

std::vector<Text> split_right(Runtime& rt, const Text& text, const Text* separator, int64_t limit) {
  check_separator(rt, separator);
  rt.text_work(text.size(), 0);
  std::vector<Text> parts;
  size_t end = separator == nullptr ? skip_back_while_space(text, text.size(), true) : text.size();
  while (separator != nullptr || end > 0) {
    rt.step();
    const bool may_cut = limit < 0 || static_cast<int64_t>(parts.size()) < limit;
    if (separator == nullptr) {
      const size_t begin = may_cut ? skip_back_while_space(text, end, false) : 0;
      parts.push_back(text.slice(begin, end));
      end = may_cut ? skip_back_while_space(text, begin, true) : 0;
    } else {
      const size_t width = separator->size();
      const size_t at = may_cut && end >= width
                            ? text.chars().rfind(separator->chars(), end - width)
                            : std::string::npos;
      parts.push_back(text.slice(at == std::string::npos ? 0 : at + width, end));
      if (at == std::string::npos) break;
      end = at;
    }
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<Text> split_lines(Runtime& rt, const Text& text, bool keep_ends) {
  std::vector<Text> lines;
  size_t begin = 0;
  for (size_t pos = 0; pos < text.size();) {
    const size_t at = pos;
    const char32_t c = next_char(text.chars(), pos);
    if (!is_line_break(c)) continue;
    if (c == '\r' && pos < text.size() && text.chars()[pos] == '\n') ++pos;
    rt.step();
    lines.push_back(text.slice(begin, keep_ends ? pos : at));
    begin = pos;
  }
  rt.text_work(text.size(), 0);
  if (begin < text.size()) lines.push_back(text.slice(begin, text.size()));
  return lines;
}

Text replace(Runtime& rt, const Text& text, const Text& old, const Text& by, int64_t count) {
  TextBuilder out(rt);
  size_t pos = 0;
  int64_t done = 0;
  while (count < 0 || done < count) {
    const size_t at = text.chars().find(old.chars(), pos);
    if (at == std::string::npos) break;
    out.append(text, pos, at);
    out.append(by);
    ++done;
    pos = at + old.size();
    if (!old.empty()) continue;
    // An empty pattern matches between all characters.
    if (at >= text.size()) break;
    next_char(text.chars(), pos);
    out.append(text, at, pos);
  }
  if (pos < text.size()) out.append(text, pos, text.size());
  return out.take();
}

Text join(Runtime& rt, const Text& separator, const std::vector<Text>& parts) {
  TextBuilder out(rt);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out.append(separator);
    out.append(parts[i]);
  }
  return out.take();
}

Text upper(Runtime& rt, const Text& text) {
  return map_chars(rt, text, [](char32_t c, size_t) { return to_upper(c); });
}

Text fold_case(Runtime& rt, const Text& text) {
  return map_chars(rt, text, [&](char32_t c, size_t) { return to_folded(c); });
}

Text lower(Runtime& rt, const Text& text) {
  return map_chars(rt, text, [&](char32_t c, size_t at) { return lower_at(text.chars(), c, at); });
}

Text capitalize(Runtime& rt, const Text& text) {
  return map_chars(rt, text, [&](char32_t c, size_t at) {
    return at == 0 ? to_title(c) : lower_at(text.chars(), c, at);
  });
}

Text title(Runtime& rt, const Text& text) {
  bool in_word = false;
  return map_chars(rt, text, [&](char32_t c, size_t at) {
    const std::string made = in_word ? lower_at(text.chars(), c, at) : to_title(c);
    in_word = is_cased(c);
    return made;
  });
}

Text swap_case(Runtime& rt, const Text& text) {
  return map_chars(rt, text, [&](char32_t c, size_t at) {
    return is_upper(c) ? lower_at(text.chars(), c, at) : to_upper(c);
  });
}

Text pad(Runtime& rt, const Text& text, int64_t width, const Text& fill, Align align) {
  if (count_chars(fill.chars()) != 1)
    rt.fail("the fill character must be exactly one character long");
  const int64_t missing = std::max<int64_t>(0, width - count_chars(text.chars()));
  // Python puts the odd one left only if the width is odd as well.
  const int64_t left = align == Align::left    ? 0
                       : align == Align::right ? missing
                                               : missing / 2 + (missing & width & 1);
  TextBuilder out(rt);
  for (int64_t i = 0; i < left; ++i) out.append(fill);
  out.append(text);
  for (int64_t i = left; i < missing; ++i) out.append(fill);
  return out.take();
}

bool all_chars(const Text& text, bool (*test)(char32_t)) {
  for (size_t pos = 0; pos < text.size();) {
    if (!test(next_char(text.chars(), pos))) return false;
  }
  return !text.empty();
}

bool is_lower_text(const Text& text) {
  bool found = false;
  for (size_t pos = 0; pos < text.size();) {
    const char32_t c = next_char(text.chars(), pos);
    if (is_upper(c) || is_title(c)) return false;
    found = found || is_lower(c);
  }
  return found;
}

bool is_upper_text(const Text& text) {
  bool found = false;
  for (size_t pos = 0; pos < text.size();) {
    const char32_t c = next_char(text.chars(), pos);
    if (is_lower(c) || is_title(c)) return false;
    found = found || is_upper(c);
  }
  return found;
}

}  // namespace colonnade::text::jinja
