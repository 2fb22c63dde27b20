#include "colonnade/cli/key_decoder.h"

#include <array>
#include <utility>

#include "colonnade/text/utf8.h"

namespace colonnade::cli {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::string_view kPasteStart = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";

constexpr std::pair<char, KeyKind> kControls[] = {
    {'\x01', KeyKind::line_start},
    {'\x02', KeyKind::left},
    {'\x03', KeyKind::interrupt},
    {'\x04', KeyKind::erase_or_leave},
    {'\x05', KeyKind::line_end},
    {'\x06', KeyKind::right},
    {'\x08', KeyKind::backspace},
    {'\n', KeyKind::newline},
    {'\x0b', KeyKind::erase_line_after},
    {'\x0c', KeyKind::redraw},
    {'\r', KeyKind::enter},
    {'\x0e', KeyKind::down},
    {'\x10', KeyKind::up},
    {'\x15', KeyKind::erase_line_before},
    {'\x17', KeyKind::erase_word},
    {'\x7f', KeyKind::backspace},
};

/// Behind "ESC [" or "ESC O".
constexpr std::pair<std::string_view, KeyKind> kSequences[] = {
    {"A", KeyKind::up},           {"B", KeyKind::down},          {"C", KeyKind::right},
    {"D", KeyKind::left},         {"H", KeyKind::line_start},    {"F", KeyKind::line_end},
    {"1~", KeyKind::line_start},  {"7~", KeyKind::line_start},   {"4~", KeyKind::line_end},
    {"8~", KeyKind::line_end},    {"3~", KeyKind::erase},        {"1;5C", KeyKind::word_right},
    {"1;5D", KeyKind::word_left}, {"1;3C", KeyKind::word_right}, {"1;3D", KeyKind::word_left},
};

/// Behind ESC alone.
constexpr std::pair<char, KeyKind> kAlt[] = {
    {'\r', KeyKind::newline},   {'\n', KeyKind::newline},      {'b', KeyKind::word_left},
    {'f', KeyKind::word_right}, {'\x7f', KeyKind::erase_word},
};

template <typename Table, typename Key>
KeyKind find(const Table& table, const Key& key) {
  for (const auto& [each, kind] : table) {
    if (each == key) return kind;
  }
  return KeyKind::ignored;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; }

}  // namespace

std::optional<Key> KeyDecoder::next() {
  if (bytes_.empty()) return std::nullopt;
  if (bytes_.front() == kEscape) return escape();
  if (bytes_.front() == '\t') return take(1, KeyKind::text);
  if (is_control(bytes_.front())) return take(1, find(kControls, bytes_.front()));
  return characters();
}

Key KeyDecoder::take(size_t count, KeyKind kind) {
  Key key{kind, kind == KeyKind::text ? bytes_.substr(0, count) : ""};
  bytes_.erase(0, count);
  return key;
}

std::optional<Key> KeyDecoder::escape() {
  if (bytes_.size() < 2) return std::nullopt;
  if (bytes_[1] == '[' || bytes_[1] == 'O') return sequence();
  if (bytes_[1] == kEscape) return take(1, KeyKind::ignored);
  return take(2, find(kAlt, bytes_[1]));
}

std::optional<Key> KeyDecoder::sequence() {
  // ECMA-48: parameters and intermediate bytes are 0x20 .. 0x3f, the last byte is 0x40 .. 0x7e.
  size_t end = 2;
  while (end < bytes_.size() && bytes_[end] >= 0x20 && bytes_[end] <= 0x3f) ++end;
  if (end == bytes_.size()) return std::nullopt;
  if (bytes_.starts_with(kPasteStart)) return paste();
  return take(end + 1, find(kSequences, std::string_view(bytes_).substr(2, end - 1)));
}

std::optional<Key> KeyDecoder::paste() {
  const size_t end = bytes_.find(kPasteEnd);
  if (end == std::string::npos) return std::nullopt;
  Key key{KeyKind::text, bytes_.substr(kPasteStart.size(), end - kPasteStart.size())};
  bytes_.erase(0, end + kPasteEnd.size());
  return key;
}

std::optional<Key> KeyDecoder::characters() {
  size_t end = 0;
  while (end < bytes_.size() && !is_control(bytes_[end])) {
    const text::Utf8Step step = text::utf8_step(std::string_view(bytes_).substr(end));
    const bool may_go_on = end + static_cast<size_t>(step.length) == bytes_.size();
    if (step.kind == text::Utf8Step::Kind::incomplete && may_go_on) break;
    end += static_cast<size_t>(step.length);
  }
  if (end == 0) return std::nullopt;
  return take(end, KeyKind::text);
}

}  // namespace colonnade::cli
