// A small model of every way to be cut, whole and as rank files, for tests of those.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/gguf_builder.h"
#include "tests/support/random.h"

#include "colonnade/base/partition.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/io/piece_source.h"
#include "colonnade/io/rank_writer.h"

namespace colonnade::test {

inline std::string random_bytes(uint64_t seed, int64_t count) {
  Random random(seed);
  std::string bytes(static_cast<size_t>(count), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.bits() >> 56);
  return bytes;
}

struct CutRule {
  const char* name;
  GgmlType type;
  int64_t rows, cols;
  int64_t unit;  // 0: whole in every file
  bool by_cols;
};

constexpr int64_t kCutHead = 6;
constexpr CutRule kCutRules[] = {
    {"dense_rows.weight", GgmlType::f32, 12, 64, 1, false},
    {"heads.weight", GgmlType::q8_0, 4 * kCutHead, 64, kCutHead, false},
    {"supers.weight", GgmlType::q4_k, 3, 1024, 80, true},
    {"groups.weight", GgmlType::q5_0, 4, 160, 40, true},
    {"dense_cols.weight", GgmlType::f16, 5, 40, 1, true},
    {"norm.weight", GgmlType::f32, 1, 64, 0, false},
};

/// Bytes of the whole model; of another seed: another model of the same shapes.
inline std::string whole_model(uint64_t seed = 7) {
  GgufBuilder builder;
  builder.add_string("general.architecture", "llama");
  for (const CutRule& rule : kCutRules) {
    const GgmlTypeInfo& info = info_of(rule.type);
    std::vector<uint64_t> dims = {static_cast<uint64_t>(rule.cols)};
    if (rule.rows > 1) dims.push_back(static_cast<uint64_t>(rule.rows));
    builder.add_tensor(
        rule.name, dims, info.number,
        random_bytes(seed++, rule.rows * rule.cols / info.block_elements * info.block_bytes));
  }
  return builder.bytes();
}

/// What rank `rank` of `ranks` needs of a tensor.
inline TensorPiece needed(const CutRule& rule, int rank, int ranks) {
  TensorPiece piece{{0, rule.rows}, {0, rule.cols}};
  if (rule.unit == 0) return piece;
  Range& side = rule.by_cols ? piece.cols : piece.rows;
  side = Partition(side.end, rule.unit, ranks).of(rank);
  return piece;
}

/// The same in whole blocks.
inline TensorPiece stored(const CutRule& rule, int rank, int ranks) {
  TensorPiece piece = needed(rule, rank, ranks);
  const int64_t block = info_of(rule.type).block_elements;
  if (piece.empty()) return {};
  piece.cols = {piece.cols.begin / block * block, (piece.cols.end + block - 1) / block * block};
  return piece;
}

inline std::vector<RankFileHeader> cut_headers(int ranks, const std::string& model = "digest") {
  std::vector<RankFileHeader> headers;
  for (int rank = 0; rank < ranks; ++rank) {
    RankFileHeader header{
        .rank = rank, .ranks = ranks, .shares = {}, .model = model, .tensors = {}, .pieces = {}};
    for (const CutRule& rule : kCutRules) {
      header.tensors.push_back({rule.name, rule.type, rule.rows, rule.cols});
      header.pieces.push_back(stored(rule, rank, ranks));
    }
    headers.push_back(std::move(header));
  }
  return headers;
}

/// Writes the rank files and returns their paths.
inline std::vector<std::string> cut_model(const GgufFile& whole, const std::string& stem, int ranks,
                                          const std::string& model = "digest") {
  RankWriter writer(stem, whole.metadata().entries(), cut_headers(ranks, model));
  for (size_t i = 0; i < whole.tensors().size(); ++i) {
    const GgufTensor& tensor = whole.tensors()[i];
    for (int64_t row = 0; row < tensor.rows(); row += 2) {  // rows come in parts
      const Range rows{row, std::min(tensor.rows(), row + 2)};
      std::vector<std::byte> bytes(static_cast<size_t>(rows.size() * tensor.row_bytes()));
      whole.read(tensor, row * tensor.row_bytes(), bytes);
      writer.write(i, rows, bytes);
    }
  }
  writer.commit();
  return writer.paths();
}

}  // namespace colonnade::test
