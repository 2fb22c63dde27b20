// One rank's file of a model that was cut: a GGUF file with the rank's piece of every tensor, and
// what it says of the whole in keys colonnade.shard.*. docs/quantize-and-shard.md lists them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "colonnade/base/range.h"
#include "colonnade/io/gguf.h"
#include "colonnade/io/gguf_writer.h"

namespace colonnade {

/// A tensor of the whole model; rows of a file. A vector has one row.
struct WholeTensor {
  std::string name;
  GgmlType type = GgmlType::f32;
  int64_t rows = 1;
  int64_t cols = 0;

  friend bool operator==(const WholeTensor&, const WholeTensor&) = default;
};

/// What a file holds of a tensor: whole blocks, so columns may reach beyond what the rank needs.
struct TensorPiece {
  Range rows;
  Range cols;

  bool empty() const { return rows.empty() || cols.empty(); }
  /// Whether it holds all of `part`.
  bool covers(const TensorPiece& part) const {
    return rows.begin <= part.rows.begin && part.rows.end <= rows.end &&
           cols.begin <= part.cols.begin && part.cols.end <= cols.end;
  }
};

/// The same in all files of a model, but for `rank` and `pieces`.
struct RankFileHeader {
  int rank = 0;
  int ranks = 1;
  std::vector<double> shares;  // as the model was cut; empty: equal
  std::string model;           // digest of the model: pieces of different models do not mix
  std::vector<WholeTensor> tensors;
  std::vector<TensorPiece> pieces;  // [tensors]; empty: none in this file
};

/// Whether a file says that it is one rank's.
bool is_rank_file(const GgufMetadata& metadata);

/// Throws Error that names file and key if what it says is not as it must be, or is not what the
/// file's tensors are.
RankFileHeader read_rank_header(const GgufFile& file);

/// The keys, and the tensors of the file: those that are not empty, in order.
std::vector<GgufEntry> rank_metadata(const RankFileHeader& header);
std::vector<GgufTensorSpec> rank_tensors(const RankFileHeader& header);

/// "model-rank-0-of-3.gguf"
std::string rank_file_name(const std::string& stem, int rank, int ranks);

/// The paths of all rank files of a model by the path of one, or of a folder that holds one
/// model's; none where the name is no rank file's. Throws Error if a folder has the files of
/// several.
std::vector<std::string> find_rank_files(const std::string& path);

}  // namespace colonnade
