#include "colonnade/text/special_tokens.h"

#include <algorithm>

#include "colonnade/base/error.h"

namespace colonnade::text {
namespace {

bool is_written_out(TokenType type) {
  return type == TokenType::control || type == TokenType::unknown ||
         type == TokenType::user_defined;
}

}  // namespace

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary) : starts_(256) {
  for (size_t i = 0; i < vocabulary.tokens.size(); ++i) {
    const TokenType type = vocabulary.type(static_cast<int32_t>(i));
    const std::string& text = vocabulary.tokens[i];
    if (!is_written_out(type) || text.empty()) continue;
    entries_.push_back({text, static_cast<int32_t>(i), type != TokenType::user_defined});
    starts_[static_cast<uint8_t>(text[0])] = true;
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.text < b.text; });
  for (size_t i = 1; i < entries_.size(); ++i) {
    CN_CHECK(entries_[i].text != entries_[i - 1].text, "tokenizer: tokens ", entries_[i - 1].token,
             " and ", entries_[i].token, " are both '", entries_[i].text, "'");
  }
}

const SpecialTokens::Entry* SpecialTokens::longest_at(std::string_view text, size_t pos,
                                                      size_t trusted_end) const {
  const Entry* found = nullptr;
  auto begin = entries_.begin();  // entries that agree with the text in their first `depth` bytes
  auto end = entries_.end();
  for (size_t depth = 0; pos + depth < text.size(); ++depth) {
    const uint8_t byte = static_cast<uint8_t>(text[pos + depth]);
    const auto byte_of = [depth](const Entry& e) {
      return e.text.size() <= depth ? -1 : static_cast<int>(static_cast<uint8_t>(e.text[depth]));
    };
    begin = std::partition_point(begin, end, [&](const Entry& e) { return byte_of(e) < byte; });
    end = std::partition_point(begin, end, [&](const Entry& e) { return byte_of(e) == byte; });
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
    const Entry* entry = longest_at(text, pos, trusted_end);
    if (!entry) {
      ++pos;
      continue;
    }
    if (text_begin < pos) segments.push_back({{text_begin, pos}, -1});
    segments.push_back({{pos, pos + entry->text.size()}, entry->token});
    pos += entry->text.size();
    text_begin = pos;
  }
  if (text_begin < text.size()) segments.push_back({{text_begin, text.size()}, -1});
  return segments;
}

}  // namespace colonnade::text
