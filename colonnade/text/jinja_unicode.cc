#include "colonnade/text/jinja_unicode.h"

#include <algorithm>
#include <iterator>

namespace colonnade::text::jinja {
namespace tables {

struct Range {
  char32_t first, last;
};

// Characters first, first + step, .., last, each mapped to itself + delta.
struct CaseRun {
  char32_t first, last;
  int step, delta;
};

struct CaseSpecial {
  char32_t from;
  const char* to;
};

}  // namespace tables
}  // namespace colonnade::text::jinja

#include "colonnade/text/jinja_unicode_tables.inc"

namespace colonnade::text::jinja {
namespace {

constexpr char32_t kStrayByte = 0xDC00;

template <size_t N>
bool contains(const tables::Range (&ranges)[N], char32_t c) {
  const auto* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), c,
                       [](char32_t x, const tables::Range& r) { return x < r.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

template <size_t N, size_t M>
std::string mapped(const tables::CaseRun (&runs)[N], const tables::CaseSpecial (&specials)[M],
                   char32_t c) {
  for (const tables::CaseSpecial& special : specials) {
    if (special.from == c) return special.to;
  }
  const auto* after =
      std::upper_bound(std::begin(runs), std::end(runs), c,
                       [](char32_t x, const tables::CaseRun& r) { return x < r.first; });
  std::string out;
  // Runs of step 2 interleave (upper and lower take turns), so the one before may hold c too.
  for (int back = 0; back < 2 && after != std::begin(runs); ++back) {
    const tables::CaseRun& run = *--after;
    if (c <= run.last && (c - run.first) % static_cast<char32_t>(run.step) == 0) {
      append_char(out, static_cast<char32_t>(static_cast<int>(c) + run.delta));
      return out;
    }
  }
  append_char(out, c);
  return out;
}

int sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

}  // namespace

char32_t next_char(std::string_view text, size_t& pos) {
  const auto lead = static_cast<unsigned char>(text[pos]);
  const int length = sequence_length(lead);
  if (length == 1) {
    ++pos;
    return lead;
  }
  if (length > 1 && pos + static_cast<size_t>(length) <= text.size()) {
    char32_t c = lead & (0xFF >> (length + 1));
    bool good = true;
    for (int i = 1; i < length; ++i) {
      const auto byte = static_cast<unsigned char>(text[pos + static_cast<size_t>(i)]);
      good = good && (byte & 0xC0) == 0x80;
      c = (c << 6) | (byte & 0x3F);
    }
    constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (good && c >= kSmallest[length] && c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF)) {
      pos += static_cast<size_t>(length);
      return c;
    }
  }
  ++pos;
  return kStrayByte + lead;
}

size_t prev_char(std::string_view text, size_t end) {
  for (size_t back = 2; back <= 4 && back <= end; ++back) {
    size_t pos = end - back;
    if ((static_cast<unsigned char>(text[pos]) & 0xC0) == 0x80) continue;
    next_char(text, pos);
    if (pos == end) return end - back;
    break;
  }
  return end - 1;
}

int64_t count_chars(std::string_view text) {
  int64_t count = 0;
  for (size_t pos = 0; pos < text.size(); ++count) next_char(text, pos);
  return count;
}

size_t byte_of_char(std::string_view text, int64_t index) {
  size_t pos = 0;
  for (int64_t i = 0; i < index && pos < text.size(); ++i) next_char(text, pos);
  return pos;
}

void append_char(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c >= kStrayByte && c <= kStrayByte + 0xFF) {
    out += static_cast<char>(c - kStrayByte);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

bool is_space(char32_t c) { return contains(tables::kSpace, c); }
bool is_alpha(char32_t c) { return contains(tables::kAlpha, c); }
bool is_decimal(char32_t c) { return contains(tables::kDecimal, c); }
bool is_digit(char32_t c) { return contains(tables::kDigit, c); }
bool is_numeric(char32_t c) { return contains(tables::kNumeric, c); }
bool is_printable(char32_t c) { return !contains(tables::kUnprintable, c); }
bool is_lower(char32_t c) { return contains(tables::kLower, c); }
bool is_upper(char32_t c) { return contains(tables::kUpper, c); }
bool is_title(char32_t c) { return contains(tables::kTitle, c); }

std::string to_upper(char32_t c) { return mapped(tables::kUpperRuns, tables::kUpperSpecial, c); }
std::string to_lower(char32_t c) { return mapped(tables::kLowerRuns, tables::kLowerSpecial, c); }
std::string to_folded(char32_t c) { return mapped(tables::kFoldRuns, tables::kFoldSpecial, c); }
std::string to_title(char32_t c) { return mapped(tables::kTitleRuns, tables::kTitleSpecial, c); }

}  // namespace colonnade::text::jinja
