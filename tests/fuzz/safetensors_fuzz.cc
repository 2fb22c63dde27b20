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
#include "colonnade/io/safetensors_source.h"

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

/// Any slice of any weight, in whatever way it is quantized.
void read_slices(const std::string& path) {
  static const HfConfig config(R"({"quantization": {"bits": 3, "group_size": 32,
      "a": {"bits": 4, "group_size": 32, "mode": "mxfp4"}, "b": {"mode": "nvfp4"},
      "c": {"mode": "mxfp8"}}})",
                               "config.json");
  const SafetensorsSource source(SafetensorsFiles(path), &config);
  for (const TensorEntry& entry : source.entries()) {
    const Range rows{entry.rows / 2, std::min(entry.rows, entry.rows / 2 + 4)};
    const Range cols{entry.cols / 3, std::min(entry.cols, entry.cols / 3 + 1000)};
    const RowSource reader = source.rows(entry, {rows, cols});
    if (reader.dense) {
      std::vector<std::byte> out(static_cast<size_t>(rows.size() * cols.size() * 4));
      reader.dense({0, rows.size()}, out.data());
      source.values(entry);
      continue;
    }
    GroupedRows out;
    reader.grouped({0, rows.size()}, out);
    std::vector<float> numbers(static_cast<size_t>(out.cols));
    if (out.rows > 0) dequantize_row(out, out.rows - 1, numbers);
  }
}

}  // namespace
}  // namespace colonnade

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = colonnade::write_input(data, size);
  try {
    colonnade::read_all(colonnade::File(path));
    colonnade::read_slices(path);
  } catch (const colonnade::Error&) {
    return 0;
  }
  return 0;
}
