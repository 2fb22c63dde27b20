#include "colonnade/base/file.h"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

std::string reason(int error_number) { return std::generic_category().message(error_number); }

std::string open_failure(const std::string& path, int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return concat(path, ": no such file");
    case EACCES:
    case EPERM:
      return concat(path, ": this user may not read the file (", reason(error_number), ")");
    default:
      return concat(path, ": cannot open the file: ", reason(error_number));
  }
}

}  // namespace

File::File(std::string path) : path_(std::move(path)) {
  CN_CHECK(!path_.empty(), "open: the path is empty: expected the path of a file");
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) throw Error(open_failure(path_, errno));
  struct stat status {};
  const int failed = ::fstat(fd_, &status) != 0 ? errno : 0;
  if (failed != 0 || !S_ISREG(status.st_mode)) {
    close();
    CN_CHECK(failed == 0, path_, ": cannot ask for the file's size: ", reason(failed));
    CN_CHECK(!S_ISDIR(status.st_mode), path_, ": is a folder: expected a file");
    throw Error(concat(path_, ": is a device or a pipe: expected a regular file"));
  }
  size_ = status.st_size;
  identity_ = {static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino)};
}

File::~File() { close(); }

File::File(File&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(std::exchange(other.size_, 0)),
      identity_(other.identity_),
      bytes_read_(other.bytes_read()),
      read_ns_(other.read_ns()) {}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    close();
    path_ = std::move(other.path_);
    fd_ = std::exchange(other.fd_, -1);
    size_ = std::exchange(other.size_, 0);
    identity_ = other.identity_;
    bytes_read_.store(other.bytes_read(), std::memory_order_relaxed);
    read_ns_.store(other.read_ns(), std::memory_order_relaxed);
  }
  return *this;
}

void File::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void File::read_at(int64_t offset, std::span<std::byte> out) const {
  CN_CHECK(offset >= 0 && offset <= size_ && static_cast<uint64_t>(size_ - offset) >= out.size(),
           path_, ": read: expected ", out.size(), " bytes at offset ", offset,
           ", but the file has ", size_, " bytes");
  const auto begin = std::chrono::steady_clock::now();
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        ::pread(fd_, out.data() + done, out.size() - done, offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    CN_CHECK(got >= 0, path_, ": read: ", reason(errno), " at offset ",
             offset + static_cast<int64_t>(done));
    CN_CHECK(got > 0, path_, ": read: the file became shorter while it was open: expected ", size_,
             " bytes, it ends before offset ", offset + static_cast<int64_t>(done) + 1);
    done += static_cast<size_t>(got);
  }
  bytes_read_.fetch_add(static_cast<int64_t>(done), std::memory_order_relaxed);
  read_ns_.fetch_add(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count(),
                     std::memory_order_relaxed);
}

int64_t total_size(std::span<const File> files) {
  int64_t total = 0;
  for (const File& file : files) total += file.size();
  return total;
}

int64_t total_read(std::span<const File> files) {
  int64_t total = 0;
  for (const File& file : files) total += file.bytes_read();
  return total;
}

double total_read_s(std::span<const File> files) {
  double total = 0;
  for (const File& file : files) total += file.read_s();
  return total;
}

}  // namespace colonnade
