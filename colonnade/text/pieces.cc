#include "colonnade/text/pieces.h"

#include <charconv>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/text/byte_alphabet.h"

namespace colonnade::text {
namespace {

constexpr std::string_view kMetaspace = "\xE2\x96\x81";  // U+2581

void append_with_spaces(std::string_view token, std::string* out) {
  for (size_t pos = 0; pos < token.size();) {
    const size_t next = token.find(kMetaspace, pos);
    *out += token.substr(pos, next - pos);
    if (next == std::string_view::npos) break;
    *out += ' ';
    pos = next + kMetaspace.size();
  }
}

// False if `token` is none that the spelling knows; then its own text is appended.
bool append_bytes_of(const std::string& token, TokenType type, Spelling spelling,
                     std::string* out) {
  const bool is_text = type == TokenType::normal || type == TokenType::byte;
  if (spelling == Spelling::byte_level && is_text) {
    if (append_bytes_of_spelling(token, out)) return true;
    *out += token;
    return false;
  }
  if (spelling == Spelling::metaspace && type == TokenType::byte) {
    out->push_back(static_cast<char>(byte_of_token(token)));
  } else if (spelling == Spelling::metaspace && (is_text || type == TokenType::user_defined)) {
    append_with_spaces(token, out);
  } else if (spelling == Spelling::as_written && is_space_run(token, type)) {
    *out += with_metaspaces(token);
  } else {
    *out += token;
  }
  return true;
}

}  // namespace

std::string with_metaspaces(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ') {
      out += kMetaspace;
    } else {
      out += c;
    }
  }
  return out;
}

bool is_space_run(std::string_view token, TokenType type) {
  return type == TokenType::user_defined && !token.empty() &&
         token.find_first_not_of(' ') == std::string_view::npos;
}

uint8_t byte_of_token(std::string_view token) {
  unsigned value = 0;
  const bool shaped = token.size() == 6 && token.substr(0, 3) == "<0x" && token[5] == '>';
  const auto [end, error] =
      std::from_chars(token.data() + (shaped ? 3 : 0), token.data() + (shaped ? 5 : 0), value, 16);
  CN_CHECK(shaped && error == std::errc() && end == token.data() + 5,
           "tokenizer: expected a byte token to be spelled <0xNN>, got ", quote(token));
  return static_cast<uint8_t>(value);
}

Pieces::Pieces(const Vocabulary& vocabulary, Spelling spelling) : spelling_(spelling) {
  const size_t count = vocabulary.tokens.size();
  offsets_.reserve(count + 1);
  offsets_.push_back(0);
  control_.reserve(count);
  misspelled_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const TokenType type = vocabulary.type(static_cast<int32_t>(i));
    misspelled_.push_back(!append_bytes_of(vocabulary.tokens[i], type, spelling, &pool_));
    offsets_.push_back(pool_.size());
    control_.push_back(type == TokenType::control || type == TokenType::unknown);
  }
  pool_.shrink_to_fit();
}

Pieces::Pieces(const std::vector<std::string>& tokens)
    : spelling_(Spelling::as_written), control_(tokens.size()), misspelled_(tokens.size()) {
  size_t bytes = 0;
  for (const std::string& token : tokens) bytes += token.size();
  pool_.reserve(bytes);
  offsets_.reserve(tokens.size() + 1);
  offsets_.push_back(0);
  for (const std::string& token : tokens) {
    pool_ += token;
    offsets_.push_back(pool_.size());
  }
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
