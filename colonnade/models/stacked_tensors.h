// Tensors as the files of a family have them, put together from those that the layers ask for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "colonnade/models/tensor_names.h"

namespace colonnade {

/// One tensor to write.
struct StackedTensor {
  std::string name;
  std::vector<const TensorEntry*> parts;  // their rows, or elements of vectors, follow each other
  bool experts = false;                   // each part is an expert: a dimension of its own

  bool is_vector() const { return parts.front()->rows == 1; }
  /// In the order of GGUF: the columns first.
  std::vector<int64_t> dims() const;
};

/// Every one of `entries` becomes a part of one tensor; `rules` are those of the family's files.
/// Throws Error if parts of one tensor do not fit together.
std::vector<StackedTensor> stack_tensors(std::span<const TensorEntry> entries,
                                         std::span<const NameRule> rules);

}  // namespace colonnade
