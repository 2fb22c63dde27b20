// Any bytes as model.safetensors.index.json: it may be refused, but no name may lead out of its
// folder.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "colonnade/base/error.h"
#include "colonnade/io/safetensors_index.h"

namespace {

std::string write_input(const uint8_t* data, size_t size) {
  static const int fd = ::memfd_create("index.json", MFD_CLOEXEC);
  if (fd < 0 || ::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const colonnade::File file(write_input(data, size));
  try {
    const colonnade::SafetensorsIndex index = colonnade::read_safetensors_index(file);
    for (const std::string& name : index.files) {
      if (name.find('/') != std::string::npos) std::abort();
    }
    for (const auto& [tensor, name] : index.places) {
      if (!std::ranges::binary_search(index.files, name)) std::abort();
    }
  } catch (const colonnade::Error&) {
    return 0;
  }
  return 0;
}
