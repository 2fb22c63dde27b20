#include "colonnade/text/split_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <array>
#include <bitset>
#include <unordered_map>
#include <utility>

#include <pcre2.h>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/text/regex_parser.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

using ByteSet = std::bitset<256>;
using Signature = uint64_t;  // bit s: in set s

constexpr size_t kMostSets = 64;
constexpr int kFirstClass = 0x80;

// No expression of a tokenizer takes more than a step back or two per character; over megabytes of
// spaces that is this many.
constexpr uint32_t kMostSteps = 20'000'000;
constexpr size_t kMostHeapKib = 64 << 10;
// Quick expressions do 50 MB/s and more.
constexpr double kMostSeconds = 5, kMostSecondsPerByte = 1e-6;
constexpr unsigned kCallsPerLook = 16;  // at the clock; each can take some tenths of a second

// Scripts in daily use lie below U+3400; the letters of Han and Hangul are two long runs above.
constexpr char32_t kTableEnd = 0x3400;

/// Which byte stands for a character that is not ASCII.
class ClassMap {
 public:
  /// Of `sets`, whose number is limited, each character's class tells in which it is.
  ClassMap(const std::vector<const CodePointSet*>& sets, std::string_view regex) {
    std::vector<std::pair<char32_t, size_t>> edges;
    for (size_t s = 0; s < sets.size(); ++s) {
      for (const char32_t edge : sets[s]->edges()) edges.emplace_back(std::max(edge, kAsciiEnd), s);
    }
    std::sort(edges.begin(), edges.end());
    Signature signature = 0;
    add_run(kAsciiEnd, 0, regex);
    for (size_t i = 0; i < edges.size();) {
      const char32_t first = edges[i].first;
      for (; i < edges.size() && edges[i].first == first; ++i)
        signature ^= Signature{1} << edges[i].second;
      add_run(first, signature, regex);
    }
    for (char32_t c = kAsciiEnd; c < kTableEnd; ++c) low_[c - kAsciiEnd] = look_up(c);
  }

  uint8_t operator()(char32_t c) const { return c < kTableEnd ? low_[c - kAsciiEnd] : look_up(c); }

  /// The classes of set `s`.
  ByteSet bytes_of(size_t s) const {
    ByteSet set;
    for (size_t k = 0; k < signatures_.size(); ++k) {
      if (signatures_[k] >> s & 1) set.set(kFirstClass + k);
    }
    return set;
  }

 private:
  static constexpr char32_t kAsciiEnd = 0x80;

  struct Run {
    char32_t first;
    uint8_t value;
  };

  void add_run(char32_t first, Signature signature, std::string_view regex) {
    const auto found = std::find(signatures_.begin(), signatures_.end(), signature);
    const auto k = static_cast<size_t>(found - signatures_.begin());
    if (found == signatures_.end()) signatures_.push_back(signature);
    CN_CHECK(k < 0x80, "regular expression ", quote(regex),
             ": expected one that tells at most 128 kinds of characters apart");
    const auto value = static_cast<uint8_t>(kFirstClass + k);
    if (!runs_.empty() && runs_.back().first == first) runs_.pop_back();
    if (runs_.empty() || runs_.back().value != value) runs_.push_back({first, value});
  }

  uint8_t look_up(char32_t c) const {
    const auto behind = std::upper_bound(runs_.begin(), runs_.end(), c,
                                         [](char32_t x, const Run& run) { return x < run.first; });
    return std::prev(behind)->value;
  }

  std::vector<Signature> signatures_;  // of each class
  std::vector<Run> runs_;
  std::array<uint8_t, kTableEnd - kAsciiEnd> low_;
};

ByteSet ascii_of(const CodePointSet& set) {
  ByteSet bytes;
  for (char32_t c = 0; c < 0x80; ++c) bytes[c] = set.contains(c);
  return bytes;
}

std::string bracket(const ByteSet& set) {
  if (set.none()) return "(?!)";
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "[";
  for (size_t b = 0; b < set.size(); ++b) {
    if (set[b]) out += {'\\', 'x', kHex[b >> 4], kHex[b & 15]};
  }
  return out + "]";
}

std::string pcre2_message(int code) {
  PCRE2_UCHAR buffer[256] = {};
  pcre2_get_error_message(code, buffer, sizeof(buffer));
  return reinterpret_cast<const char*>(buffer);
}

// Sets that reach beyond ASCII, and where each stands in ParsedRegex::sets.
struct WideSets {
  explicit WideSets(const ParsedRegex& parsed, std::string_view regex)
      : place(parsed.sets.size(), -1) {
    for (size_t i = 0; i < parsed.sets.size(); ++i) {
      const auto& edges = parsed.sets[i].edges();
      if (edges.empty() || edges.back() <= 0x80) continue;
      place[i] = static_cast<int>(sets.size());
      sets.push_back(&parsed.sets[i]);
    }
    CN_CHECK(sets.size() <= kMostSets, "regular expression ", quote(regex), ": expected at most ",
             kMostSets, " classes of characters, got ", sets.size());
  }
  std::vector<const CodePointSet*> sets;
  std::vector<int> place;
};

}  // namespace

struct SplitPattern::Program {
  explicit Program(std::string_view regex_text) : Program(regex_text, parse_regex(regex_text)) {}

  Program(std::string_view regex_text, const ParsedRegex& parsed)
      : Program(regex_text, parsed, WideSets(parsed, regex_text)) {}

  Program(std::string_view regex_text, const ParsedRegex& parsed, const WideSets& wide)
      : regex(regex_text), class_of(wide.sets, regex_text) {
    std::string source;
    for (const RegexPart& part : parsed.parts) {
      if (part.set < 0) {
        source += part.text;
        continue;
      }
      const auto i = static_cast<size_t>(part.set);
      ByteSet set = ascii_of(parsed.sets[i]);
      if (wide.place[i] >= 0) set |= class_of.bytes_of(static_cast<size_t>(wide.place[i]));
      source += bracket(set);
    }
    compile(source);
  }

  ~Program() {
    pcre2_match_context_free(context);
    pcre2_code_free(code);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void compile(const std::string& source) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(source.data()), source.size(), PCRE2_ANCHORED,
                         &error, &offset, nullptr);
    CN_CHECK(code, "regular expression ", quote(regex), ": ", pcre2_message(error));
    // Where memory cannot be made executable this fails, and pcre2_match interprets.
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    const uint8_t* bitmap = nullptr;
    pcre2_pattern_info(code, PCRE2_INFO_FIRSTBITMAP, &bitmap);
    first.set();
    for (size_t b = 0; bitmap && b < first.size(); ++b) first[b] = bitmap[b / 8] >> b % 8 & 1;
    context = pcre2_match_context_create(nullptr);
    CN_CHECK(context, "tokenizer: out of memory");
    pcre2_set_match_limit(context, kMostSteps);
    pcre2_set_heap_limit(context, kMostHeapKib);
  }

  // The end of the match that begins at `start`; `start` if there is none.
  size_t match(std::string_view subject, size_t start, pcre2_match_data* data) const {
    const auto* bytes = reinterpret_cast<PCRE2_SPTR>(subject.data());
    int rc = pcre2_match(code, bytes, subject.size(), start, 0, data, context);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
      rc = pcre2_match(code, bytes, subject.size(), start, PCRE2_NO_JIT, data, context);
    if (rc == PCRE2_ERROR_NOMATCH) return start;
    CN_CHECK(rc >= 0, "tokenizer: regular expression ", quote(regex), " at character ", start,
             " of a text of ", subject.size(), ": ", pcre2_message(rc));
    return std::max(start, pcre2_get_ovector_pointer(data)[1]);
  }

  std::string regex;
  ClassMap class_of;
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;
  ByteSet first;  // what a match can begin with
};

SplitPattern::SplitPattern(std::string_view regex) : program_(std::make_unique<Program>(regex)) {}
SplitPattern::~SplitPattern() = default;
SplitPattern::SplitPattern(SplitPattern&&) noexcept = default;

std::string SplitPattern::classes(std::string_view text) const {
  std::string out(text.size(), '\0');
  char* end = out.data();
  for (size_t pos = 0; pos < text.size();) {
    const auto byte = static_cast<uint8_t>(text[pos]);
    if (byte < 0x80) {
      *end++ = static_cast<char>(byte);
      ++pos;
    } else {
      *end++ = static_cast<char>(program_->class_of(next_code_point(text, &pos)));
    }
  }
  out.resize(static_cast<size_t>(end - out.data()));
  return out;
}

SearchTime::SearchTime(size_t text_size) : text_size_(text_size), begin_(Clock::now()) {}

void SearchTime::check(std::string_view regex) {
  if (++calls_ % kCallsPerLook != 0) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  const double most = kMostSeconds + kMostSecondsPerByte * static_cast<double>(text_size_);
  CN_CHECK(seconds < most, "tokenizer: regular expression ", quote(regex), ": ", most,
           " s were not enough for a text of ", text_size_, " bytes");
}

struct SplitSearch::State {
  State(const SplitPattern::Program& p, SearchTime& t)
      : program(p), time(t), data(pcre2_match_data_create_from_pattern(p.code, nullptr)) {
    CN_CHECK(data, "tokenizer: out of memory");
  }
  ~State() { pcre2_match_data_free(data); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const SplitPattern::Program& program;
  SearchTime& time;
  pcre2_match_data* data;
};

SplitSearch::SplitSearch(const SplitPattern& pattern, SearchTime& time)
    : state_(std::make_unique<State>(*pattern.program_, time)) {}
SplitSearch::~SplitSearch() = default;

bool SplitSearch::next(std::string_view classes, size_t start, SplitPattern::Match* match) {
  const SplitPattern::Program& program = state_->program;
  for (; start < classes.size(); ++start) {
    if (!program.first[static_cast<uint8_t>(classes[start])]) continue;
    state_->time.check(program.regex);
    const size_t end = program.match(classes, start, state_->data);
    if (end == start) continue;
    *match = {start, end};
    return true;
  }
  return false;
}

}  // namespace colonnade::text
