// The header of one safetensors file: the list of its tensors, read strictly.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "colonnade/base/file.h"
#include "colonnade/io/safetensors_type.h"

namespace colonnade {

/// Where a tensor lies and what it looks like. Row-major: a row is `cols` elements that lie
/// together.
struct SafetensorsTensor {
  std::string name;
  SafetensorsType type = SafetensorsType::f32;
  int dim_count = 0;              // 0 (one element) to 8; a weight that is read has 4 at most
  std::array<int64_t, 8> dims{};  // the last one varies fastest; any may be 0
  int shard = 0;                  // which of the model's files holds it
  int64_t offset = 0;             // of the first byte, from the beginning of that file
  int64_t size_bytes = 0;

  int64_t cols() const { return dim_count == 0 ? 1 : dims[static_cast<size_t>(dim_count - 1)]; }
  int64_t rows() const {
    int64_t rows = 1;
    for (int d = 0; d + 1 < dim_count; ++d) rows *= dims[static_cast<size_t>(d)];
    return rows;
  }
  /// "[1000, 1000] F32"
  std::string description() const;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;  // "__metadata__"
  std::vector<SafetensorsTensor> tensors;       // in the order of their data
};

/// Reads the header. Throws Error naming the tensor, the field and its value when anything is not
/// as the format says: a length of more than the file or 100 MB, another thing than an object of
/// tensors, an unknown type, a name that comes twice, offsets that do not fit the shape, data that
/// overlaps, leaves holes or does not end with the file, ... Memory stays proportional to the
/// header's bytes, whatever it claims.
/// Source: the safetensors format, https://github.com/huggingface/safetensors, "Format".
SafetensorsHeader read_safetensors_header(const File& file);

}  // namespace colonnade
