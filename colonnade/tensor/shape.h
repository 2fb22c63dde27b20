// Shape: up to four dimensions, row-major, the last one contiguous.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace colonnade {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  /// One element.
  Shape() = default;
  /// Throws Error for more than four dimensions, a negative one, or a product above 2^62.
  Shape(std::initializer_list<int64_t> dims);

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[static_cast<size_t>(axis)]; }
  int64_t elements() const { return elements_; }
  /// The last dimension (1 for a scalar).
  int64_t cols() const { return rank_ == 0 ? 1 : dims_[static_cast<size_t>(rank_ - 1)]; }
  /// The product of all dimensions but the last.
  int64_t rows() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int64_t elements_ = 1;
  int rank_ = 0;
};

/// "[5, 64]"
std::string to_string(const Shape& shape);

}  // namespace colonnade
