// A decoder written plainly in f64, straight from the papers, without cache, chunks or codes: what
// the engine is measured against.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace colonnade::test {

/// Matrices [rows, cols] and vectors of a model by name, as f64, rows of q and k in the order of
/// half rotation.
struct ReferenceModel {
  struct Matrix {
    int64_t rows = 0;
    int64_t cols = 0;
    std::vector<double> values;
  };
  std::map<std::string, Matrix> tensors = {};
  int layers = 0, dim = 0, heads = 0, kv_heads = 0, head_dim = 0;
  int rotary_dim = 0;           // the part of the head that is rotated
  bool adjacent_pairs = false;  // elements 2 i and 2 i + 1 are rotated, not i and i + half
  double eps = 1e-5;
  double rope_theta = 10000;
};

/// Logits [T, V] of every position.
std::vector<std::vector<double>> reference_logits(const ReferenceModel& model,
                                                  const std::vector<int32_t>& ids);

}  // namespace colonnade::test
