#include "colonnade/comm/reduction.h"

#include <cstring>
#include <type_traits>

#include "colonnade/base/half.h"

namespace colonnade {
namespace {

using Inputs = std::span<const std::byte* const>;

/// The parts of others stand in other cores' caches; a line takes 100 ns and more to come. So many
/// are asked for ahead, more than the reorder buffer would reach by itself.
constexpr int64_t kLine = 64;
constexpr int64_t kLinesAhead = 16;

[[gnu::always_inline]] inline void prefetch(Inputs parts, int64_t offset) {
  for (const std::byte* part : parts) __builtin_prefetch(part + offset + kLinesAhead * kLine);
}

template <typename T>
using Unsigned = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;

/// On numbers and on vectors of them. T: the elements' type.
template <typename T>
struct Sum {
  using Computed = Unsigned<T>;  // signed overflow is undefined
  template <typename V>
  [[gnu::always_inline]] static void take(V& a, const V& b) {
    a = static_cast<V>(a + b);
  }
};
template <typename T>
struct Max {
  using Computed = T;
  template <typename V>
  [[gnu::always_inline]] static void take(V& a, const V& b) {
    a = ((a == a) & ((b > a) | (b != b))) ? b : a;  // x != x: it is no number
  }
};
template <typename T>
struct Min {
  using Computed = T;
  template <typename V>
  [[gnu::always_inline]] static void take(V& a, const V& b) {
    a = ((a == a) & ((b < a) | (b != b))) ? b : a;
  }
};

/// V: a vector of elements or one of them.
template <typename V, typename Op>
[[gnu::always_inline]] inline void reduce_at(std::byte* out, Inputs parts, int64_t offset) {
  V result;
  std::memcpy(&result, parts[0] + offset, sizeof result);
  for (size_t r = 1; r < parts.size(); ++r) {
    V other;
    std::memcpy(&other, parts[r] + offset, sizeof other);
    Op::take(result, other);
  }
  std::memcpy(out + offset, &result, sizeof result);
}

/// Elements of a type that is computed with as it is.
template <typename Op>
void reduce_plain(std::byte* out, Inputs parts, int64_t count) {
  using T = typename Op::Computed;
  typedef T V __attribute__((vector_size(32)));
  constexpr auto kVector = static_cast<int64_t>(sizeof(V));
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  int64_t at = 0;
  for (; at + kLine <= bytes; at += kLine) {
    prefetch(parts, at);
    for (int64_t v = 0; v < kLine; v += kVector) reduce_at<V, Op>(out, parts, at + v);
  }
  for (; at < bytes; at += static_cast<int64_t>(sizeof(T))) reduce_at<T, Op>(out, parts, at);
}

struct Bf16 {
  static float load(uint16_t bits) { return bf16_to_f32(bits); }
  static uint16_t store(float value) { return f32_to_bf16(value); }
};
struct F16 {
  static float load(uint16_t bits) { return f16_to_f32(bits); }
  static uint16_t store(float value) { return f32_to_f16(value); }
};

/// `count` <= kBlock elements from `offset` bytes on. Loops of known length become vectors at -O2:
/// called with the constant for a whole block.
template <typename E, typename Op, int64_t kBlock>
[[gnu::always_inline]] inline void reduce_block(std::byte* out, Inputs parts, int64_t offset,
                                                int64_t count) {
  uint16_t stored[kBlock];
  float result[kBlock];
  const auto bytes = static_cast<size_t>(count) * sizeof(uint16_t);
  std::memcpy(stored, parts[0] + offset, bytes);
  for (int64_t i = 0; i < count; ++i) result[i] = E::load(stored[i]);
  for (size_t r = 1; r < parts.size(); ++r) {
    std::memcpy(stored, parts[r] + offset, bytes);
    for (int64_t i = 0; i < count; ++i) Op::take(result[i], E::load(stored[i]));
  }
  for (int64_t i = 0; i < count; ++i) stored[i] = E::store(result[i]);
  std::memcpy(out + offset, stored, bytes);
}

/// 16-bit floats.
template <typename E, typename Op>
void reduce_halves(std::byte* out, Inputs parts, int64_t count) {
  constexpr int64_t kBlock = kLine / static_cast<int64_t>(sizeof(uint16_t));
  int64_t at = 0;
  for (; at + kBlock <= count; at += kBlock) {
    prefetch(parts, at * 2);
    reduce_block<E, Op, kBlock>(out, parts, at * 2, kBlock);
  }
  if (at < count) reduce_block<E, Op, kBlock>(out, parts, at * 2, count - at);
}

template <typename T>
void reduce_as(std::byte* out, Inputs parts, int64_t count, Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return reduce_plain<Sum<T>>(out, parts, count);
    case Reduction::max:
      return reduce_plain<Max<T>>(out, parts, count);
    case Reduction::min:
      return reduce_plain<Min<T>>(out, parts, count);
  }
}

template <typename E>
void reduce_halves_as(std::byte* out, Inputs parts, int64_t count, Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return reduce_halves<E, Sum<float>>(out, parts, count);
    case Reduction::max:
      return reduce_halves<E, Max<float>>(out, parts, count);
    case Reduction::min:
      return reduce_halves<E, Min<float>>(out, parts, count);
  }
}

}  // namespace

void reduce(std::byte* out, Inputs parts, int64_t count, DType dtype, Reduction reduction) {
  switch (dtype) {
    case DType::boolean:
      // The larger of 0 and 1 is "or".
      return reduce_as<uint8_t>(out, parts, count,
                                reduction == Reduction::min ? Reduction::min : Reduction::max);
    case DType::i8:
      return reduce_as<int8_t>(out, parts, count, reduction);
    case DType::u8:
      return reduce_as<uint8_t>(out, parts, count, reduction);
    case DType::i16:
      return reduce_as<int16_t>(out, parts, count, reduction);
    case DType::u16:
      return reduce_as<uint16_t>(out, parts, count, reduction);
    case DType::i32:
      return reduce_as<int32_t>(out, parts, count, reduction);
    case DType::u32:
      return reduce_as<uint32_t>(out, parts, count, reduction);
    case DType::i64:
      return reduce_as<int64_t>(out, parts, count, reduction);
    case DType::u64:
      return reduce_as<uint64_t>(out, parts, count, reduction);
    case DType::bf16:
      return reduce_halves_as<Bf16>(out, parts, count, reduction);
    case DType::f16:
      return reduce_halves_as<F16>(out, parts, count, reduction);
    case DType::f32:
      return reduce_as<float>(out, parts, count, reduction);
    case DType::f64:
      return reduce_as<double>(out, parts, count, reduction);
  }
}

}  // namespace colonnade
