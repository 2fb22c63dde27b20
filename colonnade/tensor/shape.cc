#include "colonnade/tensor/shape.h"

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 62;

}  // namespace

Shape::Shape(std::initializer_list<int64_t> dims) {
  CN_CHECK(dims.size() <= kMaxRank, "shape: expected at most ", kMaxRank, " dimensions, got ",
           dims.size());
  for (const int64_t dim : dims) {
    CN_CHECK(dim >= 0 && (dim == 0 || elements_ <= kMostElements / dim), "shape: dimension ", rank_,
             ": expected a size that keeps the product within 2^62, got ", dim);
    dims_[static_cast<size_t>(rank_++)] = dim;
    elements_ *= dim;
  }
}

int64_t Shape::rows() const {
  int64_t rows = 1;
  for (int axis = 0; axis + 1 < rank_; ++axis) rows *= (*this)[axis];
  return rows;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + "]";
}

}  // namespace colonnade
