#include "colonnade/cli/edit_buffer.h"

#include "colonnade/text/utf8.h"

namespace colonnade::cli {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

std::string cleaned(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const text::Utf8Step step = text::utf8_step(text);
    const std::string_view bytes = text.substr(0, static_cast<size_t>(step.length));
    if (text.starts_with("\r\n")) {
      // the \n follows
    } else if (text.front() == '\r') {
      clean += '\n';
    } else if (step.kind == text::Utf8Step::Kind::character) {
      clean += bytes;
    } else {
      clean += kReplacement;
    }
    text.remove_prefix(bytes.size());
  }
  return clean;
}

size_t characters_in(std::string_view text) {
  size_t count = 0;
  for (const char byte : text) count += is_continuation(byte) ? 0 : 1;
  return count;
}

}  // namespace

void EditBuffer::assign(std::string_view text) {
  text_ = cleaned(text);
  cursor_ = text_.size();
}

void EditBuffer::insert(std::string_view text) {
  const std::string clean = cleaned(text);
  text_.insert(cursor_, clean);
  cursor_ += clean.size();
}

void EditBuffer::erase_before() {
  const size_t start = before(cursor_);
  text_.erase(start, cursor_ - start);
  cursor_ = start;
}

void EditBuffer::erase_at() { text_.erase(cursor_, after(cursor_) - cursor_); }

void EditBuffer::erase_word_before() {
  const size_t end = cursor_;
  word_left();
  text_.erase(cursor_, end - cursor_);
}

void EditBuffer::erase_line_before() {
  const size_t start = line_start_of(cursor_);
  text_.erase(start, cursor_ - start);
  cursor_ = start;
}

void EditBuffer::erase_line_after() {
  const size_t end = line_end_of(cursor_);
  text_.erase(cursor_, end > cursor_ ? end - cursor_ : 1);
}

void EditBuffer::left() { cursor_ = before(cursor_); }

void EditBuffer::right() { cursor_ = after(cursor_); }

void EditBuffer::word_left() {
  const auto is_space = [&](size_t at) { return text_[at] == ' ' || text_[at] == '\n'; };
  while (cursor_ > 0 && is_space(cursor_ - 1)) --cursor_;
  while (cursor_ > 0 && !is_space(cursor_ - 1)) --cursor_;
}

void EditBuffer::word_right() {
  const auto is_space = [&](size_t at) { return text_[at] == ' ' || text_[at] == '\n'; };
  while (cursor_ < text_.size() && is_space(cursor_)) ++cursor_;
  while (cursor_ < text_.size() && !is_space(cursor_)) ++cursor_;
}

void EditBuffer::line_start() { cursor_ = line_start_of(cursor_); }

void EditBuffer::line_end() { cursor_ = line_end_of(cursor_); }

bool EditBuffer::up() {
  const size_t start = line_start_of(cursor_);
  if (start == 0) return false;
  const size_t characters = characters_in(std::string_view(text_).substr(start, cursor_ - start));
  cursor_ = move_in_line(line_start_of(start - 1), characters);
  return true;
}

bool EditBuffer::down() {
  const size_t start = line_start_of(cursor_);
  const size_t end = line_end_of(cursor_);
  if (end == text_.size()) return false;
  const size_t characters = characters_in(std::string_view(text_).substr(start, cursor_ - start));
  cursor_ = move_in_line(end + 1, characters);
  return true;
}

size_t EditBuffer::before(size_t at) const {
  if (at == 0) return 0;
  do {
    --at;
  } while (at > 0 && is_continuation(text_[at]));
  return at;
}

size_t EditBuffer::after(size_t at) const {
  if (at == text_.size()) return at;
  do {
    ++at;
  } while (at < text_.size() && is_continuation(text_[at]));
  return at;
}

size_t EditBuffer::line_start_of(size_t at) const {
  if (at == 0) return 0;
  const size_t end = text_.rfind('\n', at - 1);
  return end == std::string::npos ? 0 : end + 1;
}

size_t EditBuffer::line_end_of(size_t at) const {
  const size_t end = text_.find('\n', at);
  return end == std::string::npos ? text_.size() : end;
}

size_t EditBuffer::move_in_line(size_t start, size_t characters) const {
  const size_t end = line_end_of(start);
  size_t at = start;
  for (; characters > 0 && at < end; --characters) at = after(at);
  return at;
}

}  // namespace colonnade::cli
