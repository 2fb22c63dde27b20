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

// All of `count` characters: the matches and what lies between them.
void fill_gaps(const std::vector<Match>& matches, size_t count, bool invert,
               std::vector<Span>* spans) {
  spans->clear();
  size_t pos = 0;
  for (const Match& m : matches) {
    if (pos < m.begin) spans->push_back({pos, m.begin, invert});
    spans->push_back({m.begin, m.end, !invert});
    pos = m.end;
  }
  if (pos < count) spans->push_back({pos, count, invert});
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

// The spans of characters as text; `ascii`: a character is a byte.
std::vector<std::string_view> words_of(std::string_view text, bool ascii,
                                       const std::vector<Span>& spans) {
  std::vector<std::string_view> words;
  words.reserve(spans.size());
  size_t byte = 0, character = 0;
  const auto move_to = [&](size_t target) {
    if (ascii) {
      byte = character = target;
      return;
    }
    for (; character < target; ++character) next_code_point(text, &byte);
  };
  for (const Span& span : spans) {
    move_to(span.begin);
    const size_t begin = byte;
    move_to(span.end);
    words.push_back(text.substr(begin, byte - begin));
  }
  return words;
}

}  // namespace

PreTokenizer::PreTokenizer(const std::vector<SplitStep>& steps) {
  for (const SplitStep& step : steps)
    steps_.push_back({SplitPattern(step.regex), step.behavior, step.invert});
}

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
  if (text.empty()) return {};
  if (steps_.empty()) return {text};
  const bool ascii = is_ascii(text);
  std::vector<Span> words, parts, next;
  std::vector<Match> matches;
  for (const Step& step : steps_) {
    const std::string classes = ascii ? std::string() : step.pattern.classes(text);
    const std::string_view subject = ascii ? text : std::string_view(classes);
    if (words.empty()) words.push_back({0, subject.size(), false});
    next.clear();
    for (const Span& word : words) {
      const size_t size = word.end - word.begin;
      step.pattern.find_all(subject.substr(word.begin, size), &matches);
      fill_gaps(matches, size, step.invert, &parts);
      apply(step.behavior, &parts);
      for (const Span& part : parts)
        next.push_back({word.begin + part.begin, word.begin + part.end, false});
    }
    std::swap(words, next);
    if (words.empty()) return {};
  }
  return words_of(text, ascii, words);
}

}  // namespace colonnade::text
