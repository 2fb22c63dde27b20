// model.safetensors.index.json: which file holds which tensor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/file.h"

namespace colonnade {

/// What an index says; it may be older than the files.
struct SafetensorsIndex {
  struct Place {
    std::string tensor;
    std::string file;  // a name without folders
  };
  std::vector<Place> places;       // sorted by tensor
  std::vector<std::string> files;  // sorted, each once
};

/// Throws Error naming the field: no JSON, no "weight_map", a name that is none of a file beside
/// it, ...
SafetensorsIndex read_safetensors_index(const File& file);

}  // namespace colonnade
