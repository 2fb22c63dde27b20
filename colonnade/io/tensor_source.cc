#include "colonnade/io/tensor_source.h"

#include "colonnade/base/error.h"

namespace colonnade {

std::vector<float> values_of(const TensorEntry& entry, const std::vector<float>& all) {
  CN_CHECK(!entry.transposed, "tensor '", entry.file_name, "': a transposed one has no values");
  const int64_t width = entry.rows == 1 ? 1 : entry.cols;  // a vector's map counts elements
  const int64_t count = entry.rows * entry.cols;
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = entry.map(i / width) * width + i % width;
    CN_CHECK(at < static_cast<int64_t>(all.size()), "tensor '", entry.file_name, "': expected ",
             at + 1, " values or more for '", entry.name, "', got ", all.size());
    values[static_cast<size_t>(i)] = all[static_cast<size_t>(at)] + entry.add;
  }
  return values;
}

}  // namespace colonnade
