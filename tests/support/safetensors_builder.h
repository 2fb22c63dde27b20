// safetensors files made by hand, byte for byte: for tests, so wrong ones can be made as well as
// right ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace colonnade::test {

/// A file of this header, whatever it says, and this data.
std::string safetensors_file(std::string_view header, std::string_view data = {});

/// "\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}"
std::string safetensors_entry(std::string_view name, std::string_view type,
                              const std::vector<int64_t>& shape, int64_t begin, int64_t end);

/// Collects the parts of a right file.
class SafetensorsBuilder {
 public:
  /// The data lie behind those of the tensors before it.
  SafetensorsBuilder& add(std::string_view name, std::string_view type,
                          const std::vector<int64_t>& shape, std::string_view data);
  std::string bytes() const;

 private:
  std::string header_ = R"("__metadata__":{"format":"pt"})";
  std::string data_;
};

}  // namespace colonnade::test
