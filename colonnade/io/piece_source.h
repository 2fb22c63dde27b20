// A model that was cut into one file per rank, as one TensorSource.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/io/gguf_source.h"
#include "colonnade/io/rank_file.h"
#include "colonnade/io/tensor_source.h"

namespace colonnade {

/// The rank files of one model, opened. Immutable; any number of threads may use it at once.
class PieceFiles {
 public:
  /// `paths` by rank. Throws Error that names the file: one is missing, broken, another model's, or
  /// another rank's than its name says.
  explicit PieceFiles(const std::vector<std::string>& paths);
  /// Those of `ranks` alone; reading what only others hold is then an error that names them.
  PieceFiles(const std::vector<std::string>& paths, const std::vector<int>& ranks);

  /// Of the first file that is open: rank and pieces are that file's.
  const RankFileHeader& header() const { return files_.front()->header; }
  const GgufMetadata& metadata() const { return files_.front()->file.metadata(); }

  struct Opened {
    explicit Opened(const std::string& path)
        : file(path), source(file), header(read_rank_header(file)) {}
    GgufFile file;
    GgufSource source;
    RankFileHeader header;
  };
  const std::vector<std::unique_ptr<const Opened>>& files() const { return files_; }
  /// Paths of the files that are not open, with commas; empty: none.
  const std::string& missing() const { return missing_; }

 private:
  std::vector<std::unique_ptr<const Opened>> files_;  // ascending by rank
  std::string missing_;
};

/// All tensors of the whole model. Slices are put together from the files that hold them.
class PieceSource final : public TensorSource {
 public:
  /// `files` must outlive it. What the file of rank `nearest` holds is read from there; everything
  /// else from as few files as possible. No rank: the first file that holds it.
  explicit PieceSource(const PieceFiles& files, std::optional<int> nearest = {});

  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override;
  RowSource rows(const TensorEntry& entry, const MatrixSlice& slice) const override;
  std::vector<float> values(const TensorEntry& entry) const override;
  std::string place() const override { return files_.files().front()->file.path(); }

 private:
  /// A part of a slice that one file holds, both counted from the slice's own rows and columns.
  struct Tile {
    Range rows;
    Range cols;
    RowSource source;
  };
  class Tiles;

  size_t index_of(const TensorEntry& entry) const;
  Tiles cover(const TensorEntry& entry, const MatrixSlice& slice) const;
  /// The file to read the element (row, col) of tensor `index` from: the one that goes on for the
  /// most columns, then rows.
  const PieceFiles::Opened& best_file(size_t index, int64_t row, int64_t col) const;

  const PieceFiles& files_;
  std::vector<const PieceFiles::Opened*> order_;  // the nearest first
  std::vector<TensorEntry> entries_;
  std::vector<uint32_t> by_name_;  // indices into entries_, sorted by name
};

}  // namespace colonnade
