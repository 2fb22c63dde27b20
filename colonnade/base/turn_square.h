// A square of small elements turned in registers: what transposing a matrix is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace colonnade {

typedef uint8_t Bytes16 __attribute__((vector_size(16)));
typedef uint16_t Halves8 __attribute__((vector_size(16)));
typedef uint32_t Words4 __attribute__((vector_size(16)));
// 32 bytes, moved and never computed with. Floats, because AVX shuffles those and integers only
// with AVX2.
typedef float Floats4 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));

/// The first halves of two vectors, or the second ones, their elements in turns.
inline Bytes16 first_in_turns(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Bytes16 second_in_turns(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}
inline Halves8 first_in_turns(Halves8 a, Halves8 b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
inline Halves8 second_in_turns(Halves8 a, Halves8 b) {
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
inline Words4 first_in_turns(Words4 a, Words4 b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
inline Words4 second_in_turns(Words4 a, Words4 b) {
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

/// The same within either half.
inline Floats8 first_in_turns(Floats8 a, Floats8 b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}
inline Floats8 second_in_turns(Floats8 a, Floats8 b) {
  return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}

namespace turn_square_parts {

template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(16)));
};

/// Rows of both halves in turns. Written out: a loop would keep them in memory.
template <typename Vector, size_t... kHalf>
[[gnu::always_inline]] inline void interleave(const Vector* rows, Vector* out,
                                              std::index_sequence<kHalf...>) {
  ((out[2 * kHalf] = first_in_turns(rows[kHalf], rows[kHalf + sizeof...(kHalf)]),
    out[2 * kHalf + 1] = second_in_turns(rows[kHalf], rows[kHalf + sizeof...(kHalf)])),
   ...);
}

/// Interleaved as often as it can be halved, a square is turned.
template <typename Vector, size_t kSide, size_t kLeft = kSide>
[[gnu::always_inline]] inline void turn(Vector* rows) {
  if constexpr (kLeft > 1) {
    Vector next[kSide];
    interleave(rows, next, std::make_index_sequence<kSide / 2>());
    turn<Vector, kSide, kLeft / 2>(next);
    std::memcpy(rows, next, sizeof next);
  }
}

template <typename Vector, size_t... kRow>
[[gnu::always_inline]] inline void load(const void* from, int64_t stride, Vector* rows,
                                        std::index_sequence<kRow...>) {
  const auto* bytes = static_cast<const std::byte*>(from);
  (std::memcpy(&rows[kRow], bytes + static_cast<int64_t>(kRow) * stride, sizeof(Vector)), ...);
}

template <typename Vector, size_t... kRow>
[[gnu::always_inline]] inline void store(const Vector* rows, void* to, int64_t stride,
                                         std::index_sequence<kRow...>) {
  auto* bytes = static_cast<std::byte*>(to);
  (std::memcpy(bytes + static_cast<int64_t>(kRow) * stride, &rows[kRow], sizeof(Vector)), ...);
}

/// Half a row and the same half of the row four below.
[[gnu::always_inline]] inline Floats8 load_halves(const std::byte* from, int64_t stride) {
  Floats4 upper, lower;
  std::memcpy(&upper, from, sizeof upper);
  std::memcpy(&lower, from + 4 * stride, sizeof lower);
  return __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7);
}

template <size_t... kRow>
[[gnu::always_inline]] inline void load_halves(const std::byte* from, int64_t stride, Floats8* rows,
                                               std::index_sequence<kRow...>) {
  ((rows[kRow] = load_halves(from + static_cast<int64_t>(kRow) * stride, stride)), ...);
}

}  // namespace turn_square_parts

/// Elements on a side of a square: as many as 16 bytes hold. T: uint8_t, uint16_t or uint32_t.
template <typename T>
constexpr int64_t kSquareSide = 16 / static_cast<int64_t>(sizeof(T));

/// Columns [kSquareSide<T>] of a square: columns[i][r] = from[r][i]. `stride`, from row to row, in
/// bytes; no alignment.
template <typename T>
[[gnu::always_inline]] inline void load_turned(
    const void* from, int64_t stride, typename turn_square_parts::VectorOf<T>::type* columns) {
  constexpr auto kSide = static_cast<size_t>(kSquareSide<T>);
  turn_square_parts::load(from, stride, columns, std::make_index_sequence<kSide>());
  turn_square_parts::turn<typename turn_square_parts::VectorOf<T>::type, kSide>(columns);
}

/// to[i][r] = from[r][i] for i, r < kSquareSide<T>. Strides in bytes; no alignment.
template <typename T>
[[gnu::always_inline]] inline void turn_square(const void* from, int64_t from_stride, void* to,
                                               int64_t to_stride) {
  constexpr auto kSide = static_cast<size_t>(kSquareSide<T>);
  typename turn_square_parts::VectorOf<T>::type columns[kSide];
  load_turned<T>(from, from_stride, columns);
  turn_square_parts::store(columns, to, to_stride, std::make_index_sequence<kSide>());
}

/// Columns [8] of a square of 8 x 8 elements of 32 bits: half as many loads and stores.
[[gnu::always_inline]] inline void load_turned_8(const void* from, int64_t stride,
                                                 Floats8* columns) {
  constexpr std::make_index_sequence<4> kHalf;
  const auto* source = static_cast<const std::byte*>(from);
  turn_square_parts::load_halves(source, stride, columns, kHalf);
  turn_square_parts::load_halves(source + sizeof(Floats4), stride, columns + 4, kHalf);
  turn_square_parts::turn<Floats8, 4>(columns);
  turn_square_parts::turn<Floats8, 4>(columns + 4);
}

[[gnu::always_inline]] inline void store_8(const Floats8* vectors, void* to, int64_t stride) {
  turn_square_parts::store(vectors, to, stride, std::make_index_sequence<8>());
}

/// As turn_square, of 8 x 8 elements of 32 bits.
[[gnu::always_inline]] inline void turn_square_of_8(const void* from, int64_t from_stride, void* to,
                                                    int64_t to_stride) {
  Floats8 columns[8];
  load_turned_8(from, from_stride, columns);
  store_8(columns, to, to_stride);
}

}  // namespace colonnade
