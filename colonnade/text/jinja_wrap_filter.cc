// The filter wordwrap: Python's textwrap on each line. Declared in jinja_builtins.h.
// Source: Python documentation, module textwrap; where words end is its pattern for
// break_on_hyphens.
#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_strings.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

bool is_wrap_space(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_word(char32_t c) {
  return c == '_' || is_alpha(c) || is_decimal(c) || is_digit(c) || is_numeric(c);
}
bool is_letter(char32_t c) { return is_word(c) && !is_decimal(c); }
bool ends_phrase(char32_t c) {
  return is_word(c) || (c < 0x80 && std::string_view("!\"'&.,?").find(static_cast<char>(c)) !=
                                        std::string_view::npos);
}

/// A line as characters, with the byte where each begins.
struct Line {
  explicit Line(const Text& source) : text(source) {
    for (size_t pos = 0; pos < text.size();) {
      starts.push_back(pos);
      chars.push_back(next_char(text.chars(), pos));
    }
    starts.push_back(text.size());
  }

  size_t size() const { return chars.size(); }
  bool is(size_t i, bool (*test)(char32_t)) const { return i < size() && test(chars[i]); }
  bool is(size_t i, char32_t c) const { return i < size() && chars[i] == c; }
  Text slice(size_t begin, size_t end) const { return text.slice(starts[begin], starts[end]); }

  const Text& text;
  std::vector<char32_t> chars;
  std::vector<size_t> starts;
};

/// Characters [begin, end) that stay together.
struct Chunk {
  size_t begin, end;
  size_t size() const { return end - begin; }
};

// A dash of two or more between words starts at `i`: its end, else 0.
size_t dash_end(const Line& line, size_t i) {
  if (i == 0 || !line.is(i - 1, ends_phrase)) return 0;
  size_t end = i;
  while (line.is(end, U'-')) ++end;
  return end >= i + 2 && line.is(end, is_word) ? end : 0;
}

// The hyphen at `i` may end a line: letters on both sides ("well-known", "e-mail" not).
bool is_break_hyphen(const Line& line, size_t i) {
  if (!line.is(i, U'-') || i < 2) return false;
  const bool two_letters = line.is(i - 1, is_letter) && line.is(i - 2, is_letter);
  const bool after_hyphen =
      i >= 3 && line.is(i - 3, is_letter) && line.is(i - 2, U'-') && line.is(i - 1, ends_phrase);
  if (!two_letters && !after_hyphen) return false;
  return line.is(i + 1, is_letter) && line.is(line.is(i + 2, U'-') ? i + 3 : i + 2, is_letter);
}

size_t word_end(const Line& line, size_t begin, bool break_on_hyphens) {
  for (size_t end = begin + 1; end < line.size(); ++end) {
    if (break_on_hyphens && is_break_hyphen(line, end)) return end + 1;
    if (line.is(end, is_wrap_space)) return end;
    if (break_on_hyphens && dash_end(line, end) != 0) return end;
  }
  return line.size();
}

std::vector<Chunk> chunks_of(const Line& line, bool break_on_hyphens) {
  std::vector<Chunk> chunks;
  for (size_t begin = 0; begin < line.size();) {
    size_t end = begin;
    while (line.is(end, is_wrap_space)) ++end;
    if (end == begin && break_on_hyphens) end = std::max(end, dash_end(line, begin));
    if (end == begin) end = word_end(line, begin, break_on_hyphens);
    chunks.push_back({begin, end});
    begin = end;
  }
  return chunks;
}

struct WrapOptions {
  size_t width;
  bool break_long_words;
  bool break_on_hyphens;
};

// How much of a word that is longer than a line goes into the `room` characters that are left.
size_t cut_of(const Line& line, Chunk word, size_t room, bool break_on_hyphens) {
  for (size_t i = room; break_on_hyphens && i-- > 1;) {
    if (!line.is(word.begin + i, U'-')) continue;
    for (size_t j = 0; j < i; ++j) {
      if (!line.is(word.begin + j, U'-')) return i + 1;
    }
    break;
  }
  return room;
}

bool is_blank(const Line& line, Chunk chunk) {
  for (size_t i = chunk.begin; i < chunk.end; ++i) {
    if (!is_space(line.chars[i])) return false;
  }
  return true;
}

// Chunks are neighbours, so a line of the result is a range of characters.
std::vector<Text> wrap(const Line& line, const WrapOptions& options) {
  std::vector<Chunk> chunks = chunks_of(line, options.break_on_hyphens);
  std::vector<Text> lines;
  for (size_t next = 0; next < chunks.size();) {
    if (!lines.empty() && is_blank(line, chunks[next]) && ++next == chunks.size()) break;
    const size_t begin = chunks[next].begin;
    Chunk last{begin, begin};
    while (next < chunks.size() && chunks[next].end - begin <= options.width) last = chunks[next++];
    if (next < chunks.size() && chunks[next].size() > options.width) {
      Chunk& word = chunks[next];
      if (options.break_long_words) {
        const size_t cut =
            cut_of(line, word, options.width - (last.end - begin), options.break_on_hyphens);
        last = {word.begin, word.begin + cut};
        word.begin += cut;
      } else if (last.end == begin) {
        last = chunks[next++];
      }
    }
    const size_t end = is_blank(line, last) ? last.begin : last.end;
    if (end > begin) lines.push_back(line.slice(begin, end));
  }
  return lines;
}

Value word_wrap(Runtime& rt, const Value& self, const Bound& args) {
  rt.need_defined(self);
  if (!self.is(Kind::string)) rt.fail(concat("wordwrap: expected a string, got ", type_name(self)));
  const int64_t width = args.integer(0, 79);
  const Text between = args.text(2) != nullptr ? *args.text(2) : Text("\n", self.text->trusted());
  std::vector<Text> wrapped;
  for (const Text& source : split_lines(rt, *self.text, false)) {
    if (width <= 0) rt.fail(concat("wordwrap: expected a width of at least 1, got ", width));
    rt.text_work(source.size(), 0);
    const Line line(source);
    const std::vector<Text> parts =
        wrap(line, {static_cast<size_t>(width), args.boolean(1, true), args.boolean(3, true)});
    wrapped.push_back(join(rt, between, parts));
  }
  return rt.string(join(rt, between, wrapped));
}

}  // namespace

const Builtin kWrapFilters[] = {
    {"wordwrap", ";width,break_long_words,wrapstring,break_on_hyphens", word_wrap},
    {},
};

}  // namespace colonnade::text::jinja
