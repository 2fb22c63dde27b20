#include "colonnade/cli/line_reader.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "colonnade/base/env.h"
#include "colonnade/base/error.h"
#include "colonnade/cli/edit_view.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/raw_terminal.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {
namespace {

constexpr int kWaitPeriod_ms = 500;

bool is_dumb_terminal() { return environment_variable("TERM").value_or("dumb") == "dumb"; }

}  // namespace

LineReader::LineReader(std::function<void()> on_wait)
    : on_wait_(std::move(on_wait)), is_interactive_(stdin_is_terminal() && stdout_is_terminal()) {}

ssize_t LineReader::read_block(std::span<char> block) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  int ready = 0;
  while (ready == 0) {
    if (is_interrupted()) return -1;  // before poll(), which it would not end
    ready = ::poll(&input, 1, kWaitPeriod_ms);
    if (ready == 0) on_wait_();
  }
  const ssize_t count = ready < 0 ? -1 : ::read(STDIN_FILENO, block.data(), block.size());
  CN_CHECK(count >= 0 || errno == EINTR, "standard input: cannot be read: ", std::strerror(errno));
  return count;
}

std::optional<std::string> LineReader::read(std::string_view prompt) {
  if (is_interactive_ && !is_dumb_terminal()) return read_edited(prompt);
  if (is_interactive_) print(prompt);
  return read_plain();
}

std::optional<std::string> LineReader::read_plain() {
  for (;;) {
    const size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    if (at_end_) {
      if (pending_.empty()) return std::nullopt;
      return std::exchange(pending_, "");
    }
    char block[4096];
    const ssize_t count = read_block(block);
    if (count < 0) {
      check_interrupt();
      continue;
    }
    at_end_ = count == 0;
    pending_.append(block, static_cast<size_t>(count));
  }
}

std::optional<std::string> LineReader::read_edited(std::string_view prompt) {
  const RawTerminal raw;
  buffer_.assign("");
  recalled_ = history_.size();
  cursor_row_ = 0;
  for (;;) {
    Outcome outcome = Outcome::goes_on;
    while (outcome == Outcome::goes_on) {
      const std::optional<Key> key = keys_.next();
      if (!key) break;
      outcome = obey(*key);
    }
    draw(prompt);
    if (outcome != Outcome::goes_on) leave_drawing();
    if (outcome == Outcome::leaves) return std::nullopt;
    if (outcome == Outcome::accepted) {
      if (!buffer_.text().empty()) history_.push_back(buffer_.text());
      return buffer_.text();
    }
    char block[4096];
    const ssize_t count = read_below_drawing(block);
    if (count == 0 || must_end()) {
      leave_drawing();
      return std::nullopt;
    }
    take_interrupt();  // nothing is being done that it could stop
    if (count > 0) keys_.push({block, static_cast<size_t>(count)});
  }
}

ssize_t LineReader::read_below_drawing(std::span<char> block) {
  try {
    return read_block(block);
  } catch (...) {
    leave_drawing();
    throw;
  }
}

LineReader::Outcome LineReader::obey(const Key& key) {
  const bool is_empty = buffer_.text().empty();
  switch (key.kind) {
    case KeyKind::enter:
      return Outcome::accepted;
    case KeyKind::interrupt:
      if (is_empty) return Outcome::leaves;
      buffer_.assign("");
      return Outcome::goes_on;
    case KeyKind::erase_or_leave:
      if (is_empty) return Outcome::leaves;
      buffer_.erase_at();
      return Outcome::goes_on;
    case KeyKind::up:
      if (!buffer_.up()) recall(-1);
      return Outcome::goes_on;
    case KeyKind::down:
      if (!buffer_.down()) recall(1);
      return Outcome::goes_on;
    case KeyKind::redraw:
      print("\x1b[H\x1b[2J");
      cursor_row_ = 0;
      return Outcome::goes_on;
    default:
      edit(key);
      return Outcome::goes_on;
  }
}

void LineReader::edit(const Key& key) {
  switch (key.kind) {
    case KeyKind::text:
      return buffer_.insert(key.text);
    case KeyKind::newline:
      return buffer_.insert("\n");
    case KeyKind::backspace:
      return buffer_.erase_before();
    case KeyKind::erase:
      return buffer_.erase_at();
    case KeyKind::erase_word:
      return buffer_.erase_word_before();
    case KeyKind::erase_line_before:
      return buffer_.erase_line_before();
    case KeyKind::erase_line_after:
      return buffer_.erase_line_after();
    case KeyKind::left:
      return buffer_.left();
    case KeyKind::right:
      return buffer_.right();
    case KeyKind::word_left:
      return buffer_.word_left();
    case KeyKind::word_right:
      return buffer_.word_right();
    case KeyKind::line_start:
      return buffer_.line_start();
    case KeyKind::line_end:
      return buffer_.line_end();
    default:
      return;
  }
}

void LineReader::recall(int step) {
  const size_t target = recalled_ + static_cast<size_t>(step);  // -1 below 0 wraps above the size
  if (target > history_.size()) return;
  if (recalled_ == history_.size()) typed_ = buffer_.text();
  recalled_ = target;
  buffer_.assign(target == history_.size() ? typed_ : history_[target]);
}

void LineReader::draw(std::string_view prompt) {
  const ViewSize size{columns_of(STDOUT_FILENO), rows_of(STDOUT_FILENO)};
  const EditView view = lay_out(prompt, buffer_.text(), buffer_.cursor(), size);
  std::string out = cursor_row_ > 0 ? concat("\x1b[", cursor_row_, "A") : "";
  out += "\r\x1b[J";
  for (size_t row = 0; row < view.rows.size(); ++row) out += (row > 0 ? "\n" : "") + view.rows[row];
  rows_below_ = static_cast<int>(view.rows.size()) - 1 - view.cursor_row;
  if (rows_below_ > 0) out += concat("\x1b[", rows_below_, "A");
  out += '\r';
  if (view.cursor_column > 0) out += concat("\x1b[", view.cursor_column, "C");
  cursor_row_ = view.cursor_row;
  print(out);
}

void LineReader::leave_drawing() {
  print(rows_below_ > 0 ? concat("\x1b[", rows_below_, "B\n") : "\n");
}

}  // namespace colonnade::cli
