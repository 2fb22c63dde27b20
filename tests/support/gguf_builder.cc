#include "tests/support/gguf_builder.h"

namespace colonnade::test {

std::string gguf_string(std::string_view text) { return le<uint64_t>(text.size()).append(text); }

GgufBuilder& GgufBuilder::add(std::string_view key, uint32_t value_type, std::string_view value) {
  if (replaced_.contains(key)) return *this;
  metadata_.append(gguf_string(key)).append(le(value_type)).append(value);
  ++entry_count_;
  return *this;
}

GgufBuilder& GgufBuilder::replace(std::string_view key, uint32_t value_type,
                                  std::string_view value) {
  if (!value.empty()) add(key, value_type, value);
  replaced_.emplace(key);
  return *this;
}

GgufBuilder& GgufBuilder::add_string(std::string_view key, std::string_view value) {
  return add(key, 8, gguf_string(value));
}

GgufBuilder& GgufBuilder::add_strings(std::string_view key,
                                      const std::vector<std::string>& values) {
  std::string array = le<uint32_t>(8).append(le<uint64_t>(values.size()));
  for (const std::string& value : values) array += gguf_string(value);
  return add(key, 9, array);
}

GgufBuilder& GgufBuilder::add_tensor_entry(std::string_view name, const std::vector<uint64_t>& dims,
                                           uint32_t type, uint64_t offset) {
  tensors_.append(gguf_string(name)).append(le(static_cast<uint32_t>(dims.size())));
  for (const uint64_t dim : dims) tensors_ += le(dim);
  tensors_.append(le(type)).append(le(offset));
  ++tensor_count_;
  return *this;
}

GgufBuilder& GgufBuilder::add_tensor(std::string_view name, const std::vector<uint64_t>& dims,
                                     uint32_t type, std::string_view data) {
  data_.resize((data_.size() + alignment - 1) / alignment * alignment);
  add_tensor_entry(name, dims, type, data_.size());
  data_.append(data);
  return *this;
}

std::string GgufBuilder::bytes() const {
  std::string file = "GGUF";
  file.append(le(version))
      .append(le(tensor_count_))
      .append(le(entry_count_))
      .append(metadata_)
      .append(tensors_);
  if (!data_.empty()) file.resize((file.size() + alignment - 1) / alignment * alignment);
  return file.append(data_);
}

}  // namespace colonnade::test
