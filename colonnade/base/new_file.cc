#include "colonnade/base/new_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "colonnade/base/error.h"

namespace colonnade {

NewFile::NewFile(std::string path)
    : path_(std::move(path)), partial_path_(concat(path_, ".partial-", ::getpid())) {
  struct stat status = {};
  CN_CHECK(::stat(path_.c_str(), &status) != 0 || S_ISREG(status.st_mode), path_,
           ": expected a regular file or nothing there, got something else");
  fd_ = ::open(partial_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  CN_CHECK(fd_ >= 0, path_, ": cannot be created: ", std::strerror(errno));
}

NewFile::~NewFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(partial_path_.c_str());
}

void NewFile::reserve(int64_t bytes) {
  if (::fallocate(fd_, 0, 0, bytes) != 0) {
    CN_CHECK(errno == EOPNOTSUPP || errno == ENOSYS, path_, ": no room for ", bytes,
             " bytes: ", std::strerror(errno));
    CN_CHECK(::ftruncate(fd_, bytes) == 0, path_, ": cannot be written: ", std::strerror(errno));
  }
  size_ = bytes;
}

void NewFile::append(std::span<const std::byte> bytes) {
  write(bytes, size_);
  size_ += static_cast<int64_t>(bytes.size());
}

void NewFile::write_at(int64_t offset, std::string_view text) {
  write(std::as_bytes(std::span(text)), offset);
}

void NewFile::write(std::span<const std::byte> bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd_, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    CN_CHECK(count > 0, path_, ": cannot be written: ", std::strerror(errno));
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += count;
  }
}

void NewFile::commit() {
  CN_CHECK(::fsync(fd_) == 0, path_, ": cannot be written: ", std::strerror(errno));
  CN_CHECK(std::rename(partial_path_.c_str(), path_.c_str()) == 0, path_,
           ": cannot be created: ", std::strerror(errno));
  ::close(std::exchange(fd_, -1));
}

}  // namespace colonnade
