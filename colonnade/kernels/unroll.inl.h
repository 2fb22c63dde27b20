// A loop that is unrolled whatever the optimizer thinks: register tiles must stay in registers.
#pragma once

#include "colonnade/kernels/vec.inl.h"
#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

template <int I>
struct Index {
  constexpr operator int() const noexcept { return I; }  // NOLINT: an index is an int
};

/// f(Index<0>), f(Index<1>), ... f(Index<N - 1>)
template <int N, typename F>
[[gnu::always_inline]] inline void repeat(const F& f) noexcept {
  if constexpr (N > 0) {
    repeat<N - 1>(f);
    f(Index<N - 1>{});
  }
}

}  // namespace colonnade::kernels::CN_ISA

#define CN_UNROLLED(...) [&](__VA_ARGS__) __attribute__((always_inline))
