// A model cut into one file per rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "colonnade/api/row_items.h"

namespace colonnade {

struct ShardModelRequest {
  std::string model;
  std::string folder;  // made if it is not there
  int ranks = 1;
  std::vector<double> shares = {};  // [ranks] what each takes; empty: equal
  int threads = 0;                  // 0: the physical cores that the process may use
  OnBytes progress = {};            // of the model
};

struct ShardModelReport {
  std::vector<std::string> paths;   // [ranks]
  std::vector<int64_t> file_bytes;  // [ranks]
  int64_t model_bytes = 0;
};

/// Reads every tensor once and gives each rank's file the piece that the layers declare for it (nn/
/// param.h), with a few rows in memory at a time. All files appear together or none. Throws Error:
/// a model that is cut already, or has matrices that GGUF has no type for; ranks that would hold
/// nothing; a folder that holds other rank files; no room on the disk.
ShardModelReport shard_model(const ShardModelRequest& request);

}  // namespace colonnade
