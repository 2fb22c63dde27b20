// A source that knows shapes, for tests that read no data.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "colonnade/io/tensor_source.h"

namespace colonnade::test {

/// Entries without a file_name stand in the file under their own. All values are 2.
class ShapeSource : public TensorSource {
 public:
  explicit ShapeSource(std::vector<TensorEntry> entries) : entries_(std::move(entries)) {
    for (TensorEntry& entry : entries_) {
      if (entry.file_name.empty()) entry.file_name = entry.name;
    }
  }
  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override {
    for (const TensorEntry& entry : entries_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
  RowSource rows(const TensorEntry&, const MatrixSlice&) const override { return {}; }
  std::vector<float> values(const TensorEntry& entry) const override {
    return std::vector<float>(static_cast<size_t>(entry.cols), 2.0F);
  }

 private:
  std::vector<TensorEntry> entries_;
};

}  // namespace colonnade::test
