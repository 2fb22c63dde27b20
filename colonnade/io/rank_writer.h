// Writes the rank files of a model: whole rows come in, every file gets its piece of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "colonnade/io/gguf_writer.h"
#include "colonnade/io/rank_file.h"

namespace colonnade {

/// All files appear with commit(), or none.
class RankWriter {
 public:
  /// One file per header, rank 0 first, named rank_file_name(stem, ...). `metadata` is the model's
  /// own. Throws Error as GgufWriter does.
  RankWriter(const std::string& stem, const std::vector<GgufEntry>& metadata,
             std::vector<RankFileHeader> headers);

  /// The rows `rows` of tensor `index` of the whole model, as its type has them; every row once.
  /// Any number of threads may call it at once.
  void write(size_t index, Range rows, std::span<const std::byte> bytes);

  void commit();

  const std::vector<std::string>& paths() const { return paths_; }
  int64_t size_bytes(size_t rank) const { return files_[rank].writer->size_bytes(); }

 private:
  struct RankFile {
    std::unique_ptr<GgufWriter> writer;
    std::vector<size_t> places;  // [tensors] which of the file's tensors it is
  };

  void write_piece(const RankFile& file, size_t index, const TensorPiece& piece, Range rows,
                   std::span<const std::byte> bytes) const;

  std::vector<RankFileHeader> headers_;
  std::vector<std::string> paths_;
  std::vector<RankFile> files_;
};

}  // namespace colonnade
