#include "colonnade/text/pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <bitset>
#include <cstdint>
#include <limits>
#include <string>

#include <pcre2.h>

#include "colonnade/base/error.h"
#include "colonnade/text/unicode_ranges.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

// Patterns run over one byte per character: ASCII is itself, any other character is 0x80 | its
// flags. So a class is a set of 256 bits whatever Unicode version PCRE2 knows, and PCRE2's slow UTF
// mode is not needed. <A^B> in a pattern is the set A (nothing: all) without the set B; in both L
// is letter, N number, S space, D digit, F what folds to s, anything else itself.
//
// Source: tokenizer.json of openai-community/gpt2, HuggingFaceTB/SmolLM2-135M-Instruct,
// meta-llama/Meta-Llama-3-8B and Qwen/Qwen2.5-0.5B. SmolLM2 first splits off each digit, then runs
// GPT-2's pattern over every part: here this is one pattern in which a digit counts as the end of
// the text. All numbers are digits.
#define CONTRACTIONS_ANY_CASE "'(?:[sS]|<F>|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])"
constexpr PreTokenizerRules kKnown[] = {
    {"gpt-2", false, false, false,
     "'(?:s|t|re|ve|m|ll|d)| ?<L>+| ?<N>+| ?<^SLN>+|<S>+(?!<^S>)|<S>+"},
    {"smollm", false, false, false,
     "<D>|'(?:s|t|re|ve|m|ll|d)| ?<L>+| ?<^SLND>+|<S>+(?!<^SD>)|<S>+"},
    {"llama-bpe", false, true, true,
     CONTRACTIONS_ANY_CASE
     "|<^LN\r\n>?<L>+|<N>{1,3}| ?<^SLN>+[\r\n]*|<S>*[\r\n]+|<S>+(?!<^S>)|<S>+"},
    {"qwen2", true, false, false,
     CONTRACTIONS_ANY_CASE "|<^LN\r\n>?<L>+|<N>| ?<^SLN>+[\r\n]*|<S>*[\r\n]+|<S>+(?!<^S>)|<S>+"},
};
#undef CONTRACTIONS_ANY_CASE

const PreTokenizerRules& find_rules(std::string_view name) {
  std::string known;
  for (const PreTokenizerRules& rules : kKnown) {
    if (rules.name == name) return rules;
    known += (known.empty() ? "" : ", ") + std::string(rules.name);
  }
  const std::string what =
      name.empty() ? "missing" : concat("'", name, "', which is not supported");
  throw Error(concat("tokenizer: tokenizer.ggml.pre is ", what, "; supported: ", known));
}

using ByteSet = std::bitset<256>;

uint8_t flags_of_byte(size_t byte) {
  return byte < 0x80 ? character_flags(static_cast<char32_t>(byte))
                     : static_cast<uint8_t>(byte & 0x7F);
}

ByteSet set_of_flag(uint8_t flag) {
  ByteSet set;
  for (size_t b = 0; b < set.size(); ++b) set[b] = (flags_of_byte(b) & flag) != 0;
  return set;
}

ByteSet set_of(std::string_view names) {
  ByteSet set;
  for (const char name : names) {
    switch (name) {
      case 'L':
        set |= set_of_flag(kLetter);
        break;
      case 'N':
        set |= set_of_flag(kNumber);
        break;
      case 'S':
        set |= set_of_flag(kSpace);
        break;
      case 'D':
        set |= set_of_flag(kDigit);
        break;
      case 'F':
        set |= set_of_flag(kFoldsToS);
        break;
      default:
        set.set(static_cast<uint8_t>(name));
    }
  }
  return set;
}

// `inside` is "A^B" or "A".
std::string bracket(std::string_view inside) {
  const size_t caret = inside.find('^');
  ByteSet set = caret == 0 ? ~ByteSet() : set_of(inside.substr(0, caret));
  if (caret != std::string_view::npos) set &= ~set_of(inside.substr(caret + 1));
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "[";
  for (size_t b = 0; b < set.size(); ++b) {
    if (set[b]) out += {'\\', 'x', kHex[b >> 4], kHex[b & 15]};
  }
  return out + "]";
}

std::string expanded(std::string_view pattern) {
  std::string out;
  for (size_t pos = 0; pos < pattern.size();) {
    const size_t open = std::min(pattern.find('<', pos), pattern.size());
    out += pattern.substr(pos, open - pos);
    if (open == pattern.size()) break;
    const size_t close = pattern.find('>', open);
    out += bracket(pattern.substr(open + 1, close - open - 1));
    pos = close + 1;
  }
  return out;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// One byte per character of `text`.
std::string class_string(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const char32_t c = next_code_point(text, &pos);
    out.push_back(static_cast<char>(c < 0x80 ? c : 0x80u | character_flags(c)));
  }
  return out;
}

// Byte offset in `text` of the character that is `count` behind the one at `pos`.
size_t skip_characters(std::string_view text, size_t pos, size_t count) {
  for (; count > 0; --count) next_code_point(text, &pos);
  return pos;
}

std::string pcre2_message(int code) {
  PCRE2_UCHAR buffer[256] = {};
  pcre2_get_error_message(code, buffer, sizeof(buffer));
  return reinterpret_cast<const char*>(buffer);
}

}  // namespace

struct PreTokenizer::Pattern {
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;

  explicit Pattern(const std::string& source) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(source.data()), source.size(), PCRE2_ANCHORED,
                         &error, &offset, nullptr);
    CN_ASSERT(code, "pre-tokenizer pattern: ", pcre2_message(error), " at ", offset, " of ",
              source);
    // Where memory cannot be made executable this fails, and pcre2_match interprets.
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    context = pcre2_match_context_create(nullptr);
    CN_ASSERT(context, "pre-tokenizer: out of memory");
    // The default limit is for patterns that explode; ours take one step back at most, but over
    // megabytes of spaces.
    pcre2_set_match_limit(context, std::numeric_limits<uint32_t>::max());
  }
  ~Pattern() {
    pcre2_match_context_free(context);
    pcre2_code_free(code);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // The end of the match that starts at `start`.
  size_t match(std::string_view subject, size_t start, pcre2_match_data* data) const {
    const int rc = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(),
                               start, 0, data, context);
    CN_CHECK(rc > 0, "tokenizer: pre-tokenizer: ", pcre2_message(rc), " at character ", start);
    return pcre2_get_ovector_pointer(data)[1];
  }
};

PreTokenizer::PreTokenizer(std::string_view name)
    : rules_(find_rules(name)), pattern_(std::make_unique<Pattern>(expanded(rules_.pattern))) {}

PreTokenizer::~PreTokenizer() = default;

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
  const bool ascii = is_ascii(text);
  const std::string classes = ascii ? std::string() : class_string(text);
  const std::string_view subject = ascii ? text : std::string_view(classes);
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(pattern_->code, nullptr), &pcre2_match_data_free);
  CN_CHECK(data, "tokenizer: pre-tokenizer: out of memory");

  std::vector<std::string_view> words;
  size_t pos = 0;  // in text; `start` is the same place in subject
  for (size_t start = 0; start < subject.size();) {
    const size_t end = pattern_->match(subject, start, data.get());
    const size_t next = ascii ? end : skip_characters(text, pos, end - start);
    words.push_back(text.substr(pos, next - pos));
    pos = next;
    start = end;
  }
  return words;
}

}  // namespace colonnade::text
