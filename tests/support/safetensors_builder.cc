#include "tests/support/safetensors_builder.h"

#include "tests/support/gguf_builder.h"

namespace colonnade::test {

std::string safetensors_file(std::string_view header, std::string_view data) {
  return le<uint64_t>(header.size()).append(header).append(data);
}

std::string safetensors_entry(std::string_view name, std::string_view type,
                              const std::vector<int64_t>& shape, int64_t begin, int64_t end) {
  std::string dims;
  for (const int64_t dim : shape) dims += (dims.empty() ? "" : ",") + std::to_string(dim);
  std::string entry = "\"";
  entry.append(name).append(R"(":{"dtype":")").append(type).append(R"(","shape":[)").append(dims);
  entry.append(R"(],"data_offsets":[)").append(std::to_string(begin)).append(",");
  return entry.append(std::to_string(end)).append("]}");
}

SafetensorsBuilder& SafetensorsBuilder::add(std::string_view name, std::string_view type,
                                            const std::vector<int64_t>& shape,
                                            std::string_view data) {
  const auto begin = static_cast<int64_t>(data_.size());
  const auto end = begin + static_cast<int64_t>(data.size());
  header_ += "," + safetensors_entry(name, type, shape, begin, end);
  data_ += data;
  return *this;
}

std::string SafetensorsBuilder::bytes() const {
  return safetensors_file("{" + header_ + "}", data_);
}

}  // namespace colonnade::test
