// A model written again as a GGUF file, its matrices in another type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "colonnade/api/quantize_types.h"
#include "colonnade/api/row_items.h"

namespace colonnade {

struct QuantizeRequest {
  std::string model;
  std::string output;  // the file to write
  QuantizeTypes types;
  int threads = 0;        // 0: the physical cores that the process may use
  OnBytes progress = {};  // of the model
};

struct QuantizedTensor {
  std::string name;
  std::string from;
  std::string to;
  std::string why;  // not the type that was asked for, because; else empty
  int64_t elements = 0;
  int64_t bytes_before = 0;
  int64_t bytes_after = 0;
};

struct QuantizeReport {
  std::vector<QuantizedTensor> tensors;
  int64_t file_bytes_before = 0;
  int64_t file_bytes_after = 0;
};

/// Writes it with a few rows in memory at a time. Throws Error: no model, a number that a type
/// cannot hold (naming tensor and row), no room on the disk, `output` is a file of the model;
/// nothing is left then. Source of the numbers: io/ggml_quantize.h.
QuantizeReport quantize_model(const QuantizeRequest& request);

}  // namespace colonnade
