// GGUF files made by hand, byte for byte: for tests, so wrong ones can be made as well as right
// ones.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace colonnade::test {

/// The bytes of an integer or float as they lie in a little-endian file.
template <typename T>
std::string le(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}
/// Length and bytes, as GGUF writes a string.
std::string gguf_string(std::string_view text);

/// Collects the parts of a file. Numbers of value and tensor types are those of the GGUF
/// specification.
class GgufBuilder {
 public:
  GgufBuilder& add_u32(std::string_view key, uint32_t value) { return add(key, 4, le(value)); }
  GgufBuilder& add_f32(std::string_view key, float value) { return add(key, 6, le(value)); }
  GgufBuilder& add_bool(std::string_view key, bool value) {
    return add(key, 7, le<uint8_t>(value));
  }
  GgufBuilder& add_string(std::string_view key, std::string_view value);
  GgufBuilder& add_strings(std::string_view key, const std::vector<std::string>& values);
  /// `value` is what follows the value type in the file.
  GgufBuilder& add(std::string_view key, uint32_t value_type, std::string_view value);

  /// Adds `key`, nothing if `value` is empty, and lets later calls of add for it do nothing.
  GgufBuilder& replace(std::string_view key, uint32_t value_type, std::string_view value);

  /// `data` is put at the next multiple of the alignment. `dims` are in file order, the fastest
  /// first.
  GgufBuilder& add_tensor(std::string_view name, const std::vector<uint64_t>& dims, uint32_t type,
                          std::string_view data);
  /// An entry of the tensor list with an offset of its own and no data.
  GgufBuilder& add_tensor_entry(std::string_view name, const std::vector<uint64_t>& dims,
                                uint32_t type, uint64_t offset);

  /// The file: it ends with the last byte of the last tensor.
  std::string bytes() const;

  uint32_t version = 3;
  uint64_t alignment =
      32;  // of the data; put general.alignment into the metadata as well if it is not 32

 private:
  std::set<std::string, std::less<>> replaced_;
  std::string metadata_;
  std::string tensors_;
  std::string data_;
  uint64_t entry_count_ = 0;
  uint64_t tensor_count_ = 0;
};

}  // namespace colonnade::test
