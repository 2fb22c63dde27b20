#include "colonnade/cli/text_input.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "colonnade/base/error.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/text/utf8.h"

namespace colonnade::cli {
namespace {

/// Closes what it opened.
class InputDescriptor {
 public:
  explicit InputDescriptor(const std::string& path)
      : is_own_(path != "-"),
        fd_(is_own_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO) {}
  ~InputDescriptor() {
    if (is_own_ && fd_ >= 0) ::close(fd_);
  }
  InputDescriptor(const InputDescriptor&) = delete;
  InputDescriptor& operator=(const InputDescriptor&) = delete;

  int fd() const { return fd_; }

 private:
  bool is_own_;
  int fd_;
};

}  // namespace

std::string read_bytes(const std::string& path, int64_t most) {
  const std::string where = path == "-" ? "standard input" : path;
  const InputDescriptor input(path);
  CN_CHECK(input.fd() >= 0, where, ": cannot be opened: ", std::strerror(errno));
  std::string text;
  std::vector<char> block(1 << 16);
  for (;;) {
    const ssize_t count = ::read(input.fd(), block.data(), block.size());
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) {
      check_interrupt();
      continue;
    }
    CN_CHECK(count > 0, where, ": cannot be read: ", std::strerror(errno));
    text.append(block.data(), static_cast<size_t>(count));
    CN_CHECK(static_cast<int64_t>(text.size()) <= most, where, ": expected at most ", most,
             " bytes, got more");
  }
}

void check_utf8(std::string_view text, std::string_view where) {
  const int64_t offset = text::first_invalid_utf8(text);
  if (offset < 0) return;
  throw UsageError(concat(where, ": expected UTF-8, got a byte that is none at offset ", offset));
}

std::string read_text_input(const TextOptions& options) {
  if (options.text) {
    check_utf8(*options.text, "--prompt");
    return *options.text;
  }
  if (!options.file && stdin_is_terminal())
    throw UsageError("expected a text: --prompt TEXT, --file FILE, or standard input");
  const std::string path = options.file.value_or("-");
  std::string text = read_bytes(path);
  check_utf8(text, path == "-" ? "standard input" : path);
  return text;
}

}  // namespace colonnade::cli
