#include "colonnade/comm/reduction.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "colonnade/base/half.h"

namespace colonnade {
namespace {

using Inputs = std::span<const std::byte* const>;

/// Elements in one go: the compiler makes vectors of such arrays.
constexpr int64_t kBlockBytes = 256;

template <typename T>
struct Sum {
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;  // signed overflow is undefined
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
      return a + b;
    }
  }
};

/// b != b: it is no number.
template <typename T>
struct Max {
  static T of(T a, T b) { return b > a || b != b ? b : a; }
};
template <typename T>
struct Min {
  static T of(T a, T b) { return b < a || b != b ? b : a; }
};

template <typename T>
struct Plain {
  using Stored = T;
  using Computed = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
};
struct Bf16 {
  using Stored = uint16_t;
  using Computed = float;
  static float load(uint16_t bits) { return bf16_to_f32(bits); }
  static uint16_t store(float value) { return f32_to_bf16(value); }
};
struct F16 {
  using Stored = uint16_t;
  using Computed = float;
  static float load(uint16_t bits) { return f16_to_f32(bits); }
  static uint16_t store(float value) { return f32_to_f16(value); }
};

/// `count` <= kBlock elements from `at` on. A whole block when called with the constant: loops of
/// known length become vectors at -O2.
template <typename E, typename Op, int64_t kBlock>
[[gnu::always_inline]] inline void reduce_block(std::byte* out, Inputs parts, int64_t at,
                                                int64_t count) {
  typename E::Stored stored[kBlock];
  typename E::Computed result[kBlock];
  const auto bytes = static_cast<size_t>(count) * sizeof(typename E::Stored);
  const auto offset = static_cast<size_t>(at) * sizeof(typename E::Stored);
  std::memcpy(stored, parts[0] + offset, bytes);
  for (int64_t i = 0; i < count; ++i) result[i] = E::load(stored[i]);
  for (size_t r = 1; r < parts.size(); ++r) {
    std::memcpy(stored, parts[r] + offset, bytes);
    for (int64_t i = 0; i < count; ++i) result[i] = Op::of(result[i], E::load(stored[i]));
  }
  for (int64_t i = 0; i < count; ++i) stored[i] = E::store(result[i]);
  std::memcpy(out + offset, stored, bytes);
}

template <typename E, typename Op>
void reduce_all(std::byte* out, Inputs parts, int64_t count) {
  constexpr auto kBlock = kBlockBytes / static_cast<int64_t>(sizeof(typename E::Stored));
  int64_t at = 0;
  for (; at + kBlock <= count; at += kBlock) reduce_block<E, Op, kBlock>(out, parts, at, kBlock);
  if (at < count) reduce_block<E, Op, kBlock>(out, parts, at, count - at);
}

template <typename E>
void reduce_as(std::byte* out, Inputs parts, int64_t count, Reduction reduction) {
  using T = typename E::Computed;
  switch (reduction) {
    case Reduction::sum:
      return reduce_all<E, Sum<T>>(out, parts, count);
    case Reduction::max:
      return reduce_all<E, Max<T>>(out, parts, count);
    case Reduction::min:
      return reduce_all<E, Min<T>>(out, parts, count);
  }
}

}  // namespace

void reduce(std::byte* out, Inputs parts, int64_t count, DType dtype, Reduction reduction) {
  switch (dtype) {
    case DType::boolean:
      // The larger of 0 and 1 is "or".
      return reduce_as<Plain<uint8_t>>(
          out, parts, count, reduction == Reduction::min ? Reduction::min : Reduction::max);
    case DType::i8:
      return reduce_as<Plain<int8_t>>(out, parts, count, reduction);
    case DType::u8:
      return reduce_as<Plain<uint8_t>>(out, parts, count, reduction);
    case DType::i16:
      return reduce_as<Plain<int16_t>>(out, parts, count, reduction);
    case DType::u16:
      return reduce_as<Plain<uint16_t>>(out, parts, count, reduction);
    case DType::i32:
      return reduce_as<Plain<int32_t>>(out, parts, count, reduction);
    case DType::u32:
      return reduce_as<Plain<uint32_t>>(out, parts, count, reduction);
    case DType::i64:
      return reduce_as<Plain<int64_t>>(out, parts, count, reduction);
    case DType::u64:
      return reduce_as<Plain<uint64_t>>(out, parts, count, reduction);
    case DType::bf16:
      return reduce_as<Bf16>(out, parts, count, reduction);
    case DType::f16:
      return reduce_as<F16>(out, parts, count, reduction);
    case DType::f32:
      return reduce_as<Plain<float>>(out, parts, count, reduction);
    case DType::f64:
      return reduce_as<Plain<double>>(out, parts, count, reduction);
  }
}

}  // namespace colonnade
