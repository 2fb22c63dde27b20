// Any bytes as a safetensors file: the reader may refuse them, but not crash, hang or take more
// memory than they deserve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "colonnade/base/error.h"
#include "colonnade/io/safetensors_header.h"

namespace colonnade {
namespace {

/// A file in memory that holds the input.
std::string write_input(const uint8_t* data, size_t size) {
  static const int fd = ::memfd_create("input.safetensors", MFD_CLOEXEC);
  if (fd < 0 || ::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return "/proc/self/fd/" + std::to_string(fd);
}

/// What was accepted must fill the file: every byte of every tensor can be read.
void read_all(const File& file) {
  int64_t end = -1;
  for (const SafetensorsTensor& tensor : read_safetensors_header(file).tensors) {
    if (end >= 0 && tensor.offset != end) std::abort();
    end = tensor.offset + tensor.size_bytes;
    std::vector<std::byte> bytes(static_cast<size_t>(tensor.size_bytes));
    file.read_at(tensor.offset, bytes);
    if (tensor.rows() * tensor.cols() * info_of(tensor.type).bits != 8 * tensor.size_bytes)
      std::abort();
  }
  if (end >= 0 && end != file.size()) std::abort();
}

}  // namespace
}  // namespace colonnade

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const colonnade::File file(colonnade::write_input(data, size));
  try {
    colonnade::read_all(file);
  } catch (const colonnade::Error&) {
    return 0;
  }
  return 0;
}
