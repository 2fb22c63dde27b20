// Any bytes as a GGUF file: the reader may refuse them, but not crash, hang or take more memory
// than they deserve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "colonnade/base/error.h"
#include "colonnade/io/gguf.h"
#include "colonnade/io/rank_file.h"
#include "colonnade/io/tensor_rows.h"

namespace colonnade {
namespace {

/// A file in memory that holds the input.
std::string write_input(const uint8_t* data, size_t size) {
  static const int fd = ::memfd_create("input.gguf", MFD_CLOEXEC);
  if (fd < 0 || ::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return "/proc/self/fd/" + std::to_string(fd);
}

/// Every typed look-up on every key: most must refuse.
void look_up(const GgufMetadata& metadata) {
  for (const GgufEntry& entry : metadata.entries()) {
    const auto attempt = [&](auto&& function) {
      try {
        function();
      } catch (const Error&) {
      }
    };
    attempt([&] { metadata.integer(entry.key); });
    attempt([&] { metadata.number(entry.key); });
    attempt([&] { metadata.flag_or(entry.key, false); });
    attempt([&] { metadata.text(entry.key); });
    attempt([&] { metadata.integers(entry.key); });
    attempt([&] { metadata.numbers(entry.key); });
    attempt([&] {
      const StringArray& strings = metadata.strings(entry.key);
      if (strings.size() > 0) (void)strings[strings.size() - 1].size();
    });
  }
}

void read_slices(const GgufFile& file) {
  for (const GgufTensor& tensor : file.tensors()) {
    const Range rows{tensor.rows() / 2, std::min(tensor.rows(), tensor.rows() / 2 + 4)};
    const Slice slice{rows, {tensor.cols() / 3, std::min(tensor.cols(), tensor.cols() / 3 + 1000)}};
    if (tensor.type == GgmlType::f32 || tensor.type == GgmlType::f16 ||
        tensor.type == GgmlType::bf16) {
      read_f32(file, tensor);
      continue;
    }
    GroupedRows out;
    read_grouped(file, tensor, slice, out);
    std::vector<float> numbers(static_cast<size_t>(out.cols));
    if (out.rows > 0) dequantize_row(out, out.rows - 1, numbers);
  }
}

}  // namespace
}  // namespace colonnade

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const colonnade::GgufFile file(colonnade::write_input(data, size));
    colonnade::look_up(file.metadata());
    colonnade::read_slices(file);
    if (colonnade::is_rank_file(file.metadata())) colonnade::read_rank_header(file);
  } catch (const colonnade::Error&) {
    return 0;
  }
  return 0;
}
