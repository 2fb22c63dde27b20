#include "colonnade/text/special_tokens.h"

#include <algorithm>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/text/code_point_set.h"
#include "colonnade/text/pieces.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

bool is_written_out(TokenType type) {
  return type == TokenType::control || type == TokenType::unknown ||
         type == TokenType::user_defined;
}

const CodePointSet& spaces() {
  static const CodePointSet set = *property_set("s");
  return set;
}

// \w of Rust's regular expressions, which decide about single words; Oniguruma's has more numbers.
// Source: Unicode Technical Standard 18, annex C, "word".
const CodePointSet& word_characters() {
  static const CodePointSet set = [] {
    CodePointSet s;
    for (const char* name : {"L", "M", "Nd", "Nl", "Pc"}) s.add(*property_set(name));
    s.add({0x200C, 0x200D});  // joiners
    // Letters in circles and squares are alphabetic, though no letters.
    s.add({0x24B6, 0x24E9});
    s.add({0x1F130, 0x1F149});
    s.add({0x1F150, 0x1F169});
    s.add({0x1F170, 0x1F189});
    return s;
  }();
  return set;
}

size_t character_before(std::string_view text, size_t pos) {
  do --pos;
  while ((static_cast<uint8_t>(text[pos]) & 0xC0) == 0x80);
  return pos;
}

// Whether the character before or at `pos` is in `set`; false where the text ends.
bool is_before(std::string_view text, size_t pos, const CodePointSet& set) {
  if (pos == 0) return false;
  size_t at = character_before(text, pos);
  return set.contains(next_code_point(text, &at));
}

bool is_at(std::string_view text, size_t pos, const CodePointSet& set) {
  return pos < text.size() && set.contains(next_code_point(text, &pos));
}

// The bytes that `token`, found at `range`, takes; nothing before `begin`.
ByteRange taken(const WrittenToken& token, std::string_view text, ByteRange range, size_t begin) {
  while (token.strip_left && range.begin > begin && is_before(text, range.begin, spaces()))
    range.begin = character_before(text, range.begin);
  while (token.strip_right && is_at(text, range.end, spaces())) next_code_point(text, &range.end);
  return range;
}

bool touches_a_word(std::string_view text, ByteRange range) {
  return is_before(text, range.begin, word_characters()) ||
         is_at(text, range.end, word_characters());
}

}  // namespace

std::vector<WrittenToken> written_tokens(const Vocabulary& vocabulary) {
  if (vocabulary.rules) return vocabulary.rules->written;
  std::vector<WrittenToken> tokens;
  for (size_t i = 0; i < vocabulary.tokens.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const TokenType type = vocabulary.type(id);
    if (!is_written_out(type) || vocabulary.tokens[i].empty()) continue;
    if (vocabulary.model == "llama" && is_space_run(vocabulary.tokens[i], type)) continue;
    WrittenToken token;
    token.text = vocabulary.tokens[i];
    token.id = id;
    token.control = type != TokenType::user_defined;
    token.strip_right = vocabulary.strip_behind_control && token.control && id != vocabulary.bos &&
                        id != vocabulary.unk && token.text != "<|endoftext|>";
    tokens.push_back(std::move(token));
  }
  return tokens;
}

SpecialTokens::SpecialTokens(std::vector<WrittenToken> tokens)
    : entries_(std::move(tokens)), starts_(256) {
  for (const WrittenToken& token : entries_) {
    CN_ASSERT(!token.text.empty(), "written-out token ", token.id, " has no text");
    starts_[static_cast<uint8_t>(token.text[0])] = true;
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const WrittenToken& a, const WrittenToken& b) { return a.text < b.text; });
  for (size_t i = 1; i < entries_.size(); ++i) {
    CN_CHECK(entries_[i].text != entries_[i - 1].text, "tokenizer: tokens ", entries_[i - 1].id,
             " and ", entries_[i].id, " are both '", entries_[i].text, "'");
  }
}

const WrittenToken* SpecialTokens::longest_at(std::string_view text, size_t pos,
                                              size_t trusted_end) const {
  const WrittenToken* found = nullptr;
  auto begin = entries_.begin();  // entries that agree with the text in their first `depth` bytes
  auto end = entries_.end();
  for (size_t depth = 0; pos + depth < text.size(); ++depth) {
    const uint8_t byte = static_cast<uint8_t>(text[pos + depth]);
    const auto byte_of = [depth](const WrittenToken& e) {
      return e.text.size() <= depth ? -1 : static_cast<int>(static_cast<uint8_t>(e.text[depth]));
    };
    begin =
        std::partition_point(begin, end, [&](const WrittenToken& e) { return byte_of(e) < byte; });
    end =
        std::partition_point(begin, end, [&](const WrittenToken& e) { return byte_of(e) == byte; });
    if (begin == end) break;
    const bool complete = begin->text.size() == depth + 1;
    if (complete && (!begin->control || pos + depth + 1 <= trusted_end)) found = &*begin;
  }
  return found;
}

std::vector<Segment> SpecialTokens::split(std::string_view text,
                                          const std::vector<ByteRange>& trusted) const {
  std::vector<Segment> segments;
  size_t text_begin = 0;
  auto range = trusted.begin();
  for (size_t pos = 0; pos < text.size();) {
    if (!starts_[static_cast<uint8_t>(text[pos])]) {
      ++pos;
      continue;
    }
    while (range != trusted.end() && range->end <= pos) ++range;
    const size_t trusted_end = range != trusted.end() && range->begin <= pos ? range->end : pos;
    const WrittenToken* entry = longest_at(text, pos, trusted_end);
    if (!entry) {
      ++pos;
      continue;
    }
    const ByteRange found{pos, pos + entry->text.size()};
    if (entry->single_word && touches_a_word(text, found)) {
      pos = found.end;
      continue;
    }
    const ByteRange all = taken(*entry, text, found, text_begin);
    if (text_begin < all.begin) segments.push_back({{text_begin, all.begin}, -1});
    segments.push_back({all, entry->id});
    pos = text_begin = all.end;
  }
  if (text_begin < text.size()) segments.push_back({{text_begin, text.size()}, -1});
  return segments;
}

}  // namespace colonnade::text
