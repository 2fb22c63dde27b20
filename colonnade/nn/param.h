// Parameters and how they are cut: each layer declares its own once, and the loader (and whoever
// else walks over them) reads that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/partition.h"
#include "colonnade/io/tensor_source.h"
#include "colonnade/tensor/tensor.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

/// This rank's place among those that cut the layers.
struct Cut {
  int rank = 0;
  int ranks = 1;
  std::vector<double> shares;  // empty: equal

  Range part(int64_t total, int64_t unit) const {
    return Partition(total, unit, ranks, shares).of(rank);
  }
};

/// How K of a matrix is cut into leaves.
struct LeafRule {
  enum Kind : uint8_t { ordinary, sharded_to_all, fixed } kind = ordinary;
  int64_t size = 0;  // fixed: elements of a leaf (a head)
};

/// A matrix [rows, cols] and this rank's part of it.
struct MatrixParam {
  std::string name;  // "blk.0.attn_q.weight"
  int64_t rows = 0;
  int64_t cols = 0;
  Range row_range;
  Range col_range;
  /// Rows or columns that no cut parts (a head, a leaf, a block of the vocabulary). 0: whole on
  /// every rank, or cut as the matrix that it feeds.
  int64_t unit = 0;
  LeafRule leaf = {};
  int64_t interleaved_head = 0;  // MatrixSlice
  /// Of the tokens that come by, how many it meets: an expert the few that are routed to it.
  double tokens_share = 1;
  WeightPtr* slot = nullptr;
};

/// Of `amount`, what one token uses.
inline int64_t used_of(const MatrixParam& param, int64_t amount) {
  return static_cast<int64_t>(static_cast<double>(amount) * param.tokens_share);
}

/// A vector [size] and this rank's part of it, f32 in memory.
struct VectorParam {
  std::string name;
  int64_t size = 0;
  Range range;
  int64_t interleaved_head = 0;
  Tensor* slot = nullptr;
};

/// Whether the files may lack a parameter.
enum class Presence : uint8_t { required, optional };

/// What the layers of a model declare. Slots are members of layers, which must stay where they are.
class ParamSet {
 public:
  /// `source` must outlive the set.
  ParamSet(const TensorSource& source, Cut cut) : source_(source), cut_(std::move(cut)) {}

  const TensorSource& source() const { return source_; }
  const Cut& cut() const { return cut_; }
  bool has(std::string_view name) const { return source_.find(name) != nullptr; }

  /// The leaf of a sharded-to-all matrix with this K, by the format that the files hold it in: the
  /// unit in which its pair is cut. Without such a tensor that of a dense one: the loader names all
  /// that are missing.
  int64_t sharded_leaf(const std::string& name, int64_t k) const;

  void add(MatrixParam param);
  /// A vector that is optional and that the files lack leaves its slot empty.
  void add(VectorParam param, Presence presence = Presence::required);

  const std::vector<MatrixParam>& matrices() const { return matrices_; }
  const std::vector<VectorParam>& vectors() const { return vectors_; }

 private:
  const TensorSource& source_;
  Cut cut_;
  std::vector<MatrixParam> matrices_;
  std::vector<VectorParam> vectors_;
};

}  // namespace colonnade
