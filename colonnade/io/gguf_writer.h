// Writes a GGUF file: the header first, then the tensors in any order, from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "colonnade/base/new_file.h"
#include "colonnade/io/ggml_type.h"
#include "colonnade/io/gguf_metadata.h"

namespace colonnade {

/// What a tensor of the file will be.
struct GgufTensorSpec {
  std::string name;
  GgmlType type = GgmlType::f32;
  std::vector<int64_t> dims;  // in file order, 1 to 4; dims[0] = columns

  int64_t rows() const;
  int64_t row_bytes() const;
  int64_t size_bytes() const { return rows() * row_bytes(); }
};

/// The file appears under its name with commit(), whole or not at all. Nothing of the tensors is
/// kept in memory.
class GgufWriter {
 public:
  /// Writes the header, version 3, little-endian, and takes the room for all of the file. Offsets
  /// of `metadata` are not used; general.alignment is obeyed if it is there. Throws Error as
  /// NewFile does, and for rows that are no whole blocks of their type. Source: the GGUF
  /// specification (ggml, docs/gguf.md).
  GgufWriter(std::string path, const std::vector<GgufEntry>& metadata,
             const std::vector<GgufTensorSpec>& tensors);

  int64_t size_bytes() const { return size_bytes_; }

  /// Bytes `begin` and following of tensor `index`. Throws Error if the system fails. Any number of
  /// threads may call it at once.
  void write(size_t index, int64_t begin, std::span<const std::byte> bytes);

  /// Throws Error if the system fails. Every byte of every tensor has been written once.
  void commit();

 private:
  struct Place {
    int64_t offset = 0;
    int64_t size_bytes = 0;
  };

  NewFile file_;
  std::vector<Place> places_;  // [tensors]
  int64_t size_bytes_ = 0;
  int64_t tensor_bytes_ = 0;
  std::atomic<int64_t> written_bytes_{0};  // relaxed: a counter that is read when writers are done
};

}  // namespace colonnade
