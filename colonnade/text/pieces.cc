#include "colonnade/text/pieces.h"

#include <charconv>
#include <optional>

#include "colonnade/base/error.h"
#include "colonnade/text/byte_alphabet.h"

namespace colonnade::text {
namespace {

constexpr std::string_view kMetaspace = "\xE2\x96\x81";  // U+2581

// The byte of "<0xNN>".
std::optional<char> byte_token(std::string_view token) {
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token[5] != '>') return std::nullopt;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
  if (error != std::errc() || end != token.data() + 5) return std::nullopt;
  return static_cast<char>(value);
}

void append_with_spaces(std::string_view token, std::string* out) {
  for (size_t pos = 0; pos < token.size();) {
    const size_t next = token.find(kMetaspace, pos);
    *out += token.substr(pos, next - pos);
    if (next == std::string_view::npos) break;
    *out += ' ';
    pos = next + kMetaspace.size();
  }
}

void append_bytes_of(const std::string& token, TokenType type, Spelling spelling,
                     std::string* out) {
  if (type != TokenType::normal && type != TokenType::byte) {
    *out += token;
  } else if (spelling == Spelling::byte_level) {
    if (!append_bytes_of_spelling(token, out)) *out += token;
  } else if (type == TokenType::byte) {
    const std::optional<char> byte = byte_token(token);
    CN_CHECK(byte, "tokenizer: expected a byte token to be spelled <0xNN>, got '", token, "'");
    out->push_back(*byte);
  } else {
    append_with_spaces(token, out);
  }
}

}  // namespace

Pieces::Pieces(const Vocabulary& vocabulary, Spelling spelling) : spelling_(spelling) {
  const size_t count = vocabulary.tokens.size();
  offsets_.reserve(count + 1);
  offsets_.push_back(0);
  control_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const TokenType type = vocabulary.type(static_cast<int32_t>(i));
    append_bytes_of(vocabulary.tokens[i], type, spelling, &pool_);
    offsets_.push_back(pool_.size());
    control_.push_back(type == TokenType::control || type == TokenType::unknown);
  }
  pool_.shrink_to_fit();
}

void Pieces::check_id(int32_t id) const {
  CN_CHECK(id >= 0 && id < size(), "tokenizer: expected a token id below ", size(), ", got ", id);
}

std::string_view Pieces::bytes(int32_t id) const {
  check_id(id);
  const size_t i = static_cast<size_t>(id);
  return std::string_view(pool_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
}

bool Pieces::is_control(int32_t id) const {
  check_id(id);
  return control_[static_cast<size_t>(id)];
}

}  // namespace colonnade::text
