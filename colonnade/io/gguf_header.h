// The header of one GGUF file: metadata and the list of tensors, read strictly.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "colonnade/base/file.h"
#include "colonnade/io/ggml_type.h"
#include "colonnade/io/gguf_metadata.h"

namespace colonnade {

/// Where a tensor lies and what it looks like. Row-major: a row is `cols` elements that lie
/// together.
struct GgufTensor {
  std::string name;
  GgmlType type = GgmlType::f32;
  int dim_count = 0;                        // 1 to 4
  std::array<int64_t, 4> dims{1, 1, 1, 1};  // in file order: dims[0] = cols varies fastest
  int shard = 0;                            // which of the model's files holds it
  int64_t offset = 0;                       // of the first byte, from the beginning of that file
  int64_t size_bytes = 0;

  int64_t cols() const { return dims[0]; }
  int64_t rows() const { return dims[1] * dims[2] * dims[3]; }
  int64_t elements() const { return rows() * cols(); }
  int64_t row_bytes() const { return size_bytes / rows(); }
};

struct GgufHeader {
  uint32_t version = 0;
  int64_t alignment = 0;
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;  // in file order
};

/// Reads the header of a GGUF file of version 2 or 3, little-endian. Throws Error naming the field,
/// its value and its offset when anything is not as the format says: counts and lengths larger than
/// what is left of the file (checked before any memory is asked for), unknown types, tensors that
/// overlap or leave the file, names or keys that come twice, ... Memory stays proportional to the
/// header's bytes, whatever the header claims. Source: the GGUF specification (ggml, docs/gguf.md).
GgufHeader read_gguf_header(const File& file);

}  // namespace colonnade
