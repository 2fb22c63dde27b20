#include "colonnade/text/pretokenizer.h"

#include <algorithm>
#include <cstdint>

#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

using Match = SplitPattern::Match;

// Characters [begin, end) and whether they matched.
struct Span {
  size_t begin;
  size_t end;
  bool matched;
};

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// A match joins its neighbour unless that is a match as well. Source: Hugging Face `tokenizers`,
// SplitDelimiterBehavior.
void merge_spans(SplitBehavior behavior, std::vector<Span>* spans) {
  const bool with_next = behavior == SplitBehavior::merged_with_next;
  if (with_next) std::reverse(spans->begin(), spans->end());
  size_t kept = 0;
  bool previous = false;
  for (const Span span : *spans) {
    const bool joins = behavior == SplitBehavior::contiguous ? span.matched == previous
                                                             : span.matched && !previous;
    previous = span.matched;
    if (!joins || kept == 0) {
      (*spans)[kept++] = span;
    } else if (with_next) {
      (*spans)[kept - 1].begin = span.begin;
    } else {
      (*spans)[kept - 1].end = span.end;
    }
  }
  spans->resize(kept);
  if (with_next) std::reverse(spans->begin(), spans->end());
}

void apply(SplitBehavior behavior, std::vector<Span>* spans) {
  if (behavior == SplitBehavior::isolated) return;
  if (behavior == SplitBehavior::removed) {
    std::erase_if(*spans, [](const Span& s) { return s.matched; });
  } else {
    merge_spans(behavior, spans);
  }
}

// Walks through the characters of a text.
class Walker {
 public:
  /// `ascii`: a character is a byte.
  Walker(std::string_view text, bool ascii) : text_(text), ascii_(ascii) {}

  /// Characters [begin, end), none of them before the last ones.
  std::string_view substr(size_t begin, size_t end) {
    move_to(begin);
    const size_t first = byte_;
    move_to(end);
    return text_.substr(first, byte_ - first);
  }

 private:
  void move_to(size_t character) {
    if (ascii_) {
      byte_ = character;
      return;
    }
    for (; character_ < character; ++character_) {
      if (static_cast<uint8_t>(text_[byte_]) < 0x80) {
        ++byte_;
      } else {
        next_code_point(text_, &byte_);
      }
    }
  }

  std::string_view text_;
  bool ascii_;
  size_t byte_ = 0;
  size_t character_ = 0;
};

// Calls emit(begin, end) for every part of `subject`.
template <typename Emit>
void cut(SplitSearch& search, const SplitRule& rule, std::string_view subject,
         std::vector<Span>* parts, Emit emit) {
  const bool isolated = rule.behavior == SplitBehavior::isolated;
  parts->clear();
  const auto add = [&](size_t begin, size_t end, bool matched) {
    if (isolated) {
      emit(begin, end);
    } else {
      parts->push_back({begin, end, matched != rule.invert});
    }
  };
  size_t pos = 0;
  for (Match m{}; search.next(subject, pos, &m); pos = m.end) {
    if (pos < m.begin) add(pos, m.begin, false);
    add(m.begin, m.end, true);
  }
  if (pos < subject.size()) add(pos, subject.size(), false);
  if (isolated) return;
  apply(rule.behavior, parts);
  for (const Span& part : *parts) emit(part.begin, part.end);
}

}  // namespace

PreTokenizer::PreTokenizer(const std::vector<SplitStep>& steps) {
  for (const SplitStep& step : steps)
    steps_.push_back({SplitPattern(step.regex), {step.behavior, step.invert}});
}

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
  if (text.empty()) return {};
  if (steps_.empty()) return {text};
  const bool ascii = is_ascii(text);
  SearchTime time(text.size());
  std::vector<std::string_view> words;
  std::vector<Span> pieces, next, parts;
  for (const Step& step : steps_) {
    const std::string classes = ascii ? std::string() : step.pattern.classes(text);
    const std::string_view subject = ascii ? text : std::string_view(classes);
    const bool first = &step == &steps_.front(), last = &step == &steps_.back();
    if (first) pieces.push_back({0, subject.size(), false});
    SplitSearch search(step.pattern, time);
    Walker walker(text, ascii);
    next.clear();
    for (const Span& piece : pieces) {
      cut(search, step.rule, subject.substr(piece.begin, piece.end - piece.begin), &parts,
          [&](size_t begin, size_t end) {
            if (last) {
              words.push_back(walker.substr(piece.begin + begin, piece.begin + end));
            } else {
              next.push_back({piece.begin + begin, piece.begin + end, false});
            }
          });
    }
    std::swap(pieces, next);
  }
  return words;
}

}  // namespace colonnade::text
