// The table of one instruction set: kinds become templates here.
#pragma once

#include "colonnade/kernels/attention.inl.h"
#include "colonnade/kernels/dense.inl.h"
#include "colonnade/kernels/grouped_decode.inl.h"
#include "colonnade/kernels/grouped_f32.inl.h"
#include "colonnade/kernels/grouped_many.inl.h"
#include "colonnade/kernels/peak.inl.h"
#include "colonnade/kernels/rows.inl.h"
#include "colonnade/kernels/table.h"

namespace colonnade::kernels::CN_ISA {

template <GroupedKind K>
void matmul_grouped_kind(const GroupedView& w, const CodesView& x, Span panels,
                         const ProductOut& out, Scratch scratch) noexcept {
  constexpr P16Format F = p16_format(K);
  if constexpr (float_codes(F)) {
    return;  // never called: they have no integer tiers
  } else if (x.tokens == 1) {
    decode_panels<F>(w, x, panels, out);
  } else if (x.lo != nullptr) {
    many_panels<expanded_format<F>(), true>(w, x, packing_of<F, true>(w.scales), panels, out,
                                            scratch);
  } else {
    many_panels<expanded_format<F>(), false>(w, x, packing_of<F, false>(w.scales), panels, out,
                                             scratch);
  }
}

/// f(kind as a constant) for the kind at hand.
template <int K = 0, typename F>
inline void for_grouped(GroupedKind kind, const F& f) noexcept {
  if constexpr (K < static_cast<int>(GroupedKind::count)) {
    if (static_cast<int>(kind) == K) {
      f(Index<K>{});
    } else {
      for_grouped<K + 1>(kind, f);
    }
  }
}
template <int K = 0, typename F>
inline void for_dense(DenseKind kind, const F& f) noexcept {
  if constexpr (K < static_cast<int>(DenseKind::count)) {
    if (static_cast<int>(kind) == K) {
      f(Index<K>{});
    } else {
      for_dense<K + 1>(kind, f);
    }
  }
}

inline void matmul_grouped(const GroupedView& w, const CodesView& x, Span panels,
                           const ProductOut& out, Scratch scratch) noexcept {
  for_grouped(w.kind, [&](auto kind) noexcept {
    matmul_grouped_kind<static_cast<GroupedKind>(int{decltype(kind){}})>(w, x, panels, out,
                                                                         scratch);
  });
}

inline void matmul_grouped_f32(const GroupedView& w, const float* x, int64_t x_stride,
                               int64_t tokens, Span panels, const ProductOut& out,
                               Scratch scratch) noexcept {
  for_grouped(w.kind, [&](auto kind) noexcept {
    constexpr P16Format F = p16_format(static_cast<GroupedKind>(int{decltype(kind){}}));
    if constexpr (float_codes(F)) {
      if (tokens == 1) return decode_float_panels<F>(w, x, panels, out);
    }
    grouped_f32(w, x, x_stride, tokens, panels, out, scratch, f32_packing_of<F>(w.scales));
  });
}

inline void matmul_dense(const DenseView& w, const float* x, int64_t x_stride, int64_t tokens,
                         Span panels, const ProductOut& out, Scratch scratch) noexcept {
  for_dense(w.kind, [&](auto kind) noexcept {
    dense_panels<static_cast<DenseKind>(int{decltype(kind){}})>(w, x, x_stride, tokens, panels, out,
                                                                scratch);
  });
}

inline void grouped_row(const GroupedView& w, int64_t row, float* y) noexcept {
  for_grouped(w.kind, [&](auto kind) noexcept {
    constexpr P16Format F = p16_format(static_cast<GroupedKind>(int{decltype(kind){}}));
    grouped_row_of(w, row, y, f32_packing_of<F>(w.scales));
  });
}

inline void dense_row(const DenseView& w, int64_t row, float* y) noexcept {
  for_dense(w.kind, [&](auto kind) noexcept {
    constexpr DenseKind K = static_cast<DenseKind>(int{decltype(kind){}});
    int64_t line_stride = 0;
    const uint8_t* p = dense_panel<K>(w, row / kLanes, &line_stride);
    int64_t k = 0;
    for (int32_t leaf = 0; leaf < w.leaves; ++leaf) {
      while (k < w.leaf_ends[leaf]) {
        alignas(64) float values[2][kLanes];
        if constexpr (K == DenseKind::f32) {
          y[k++] = reinterpret_cast<const float*>(p)[row % kLanes];
        } else {
          F32x16 even, odd;
          split_line<K>(p, even, odd);
          store(values[0], even);
          store(values[1], odd);
          y[k] = values[0][row % kLanes];
          if (k + 1 < w.leaf_ends[leaf]) y[k + 1] = values[1][row % kLanes];
          k = k + 2 < w.leaf_ends[leaf] ? k + 2 : w.leaf_ends[leaf];
        }
        p += line_stride;
      }
    }
  });
}

constexpr KernelTable make_table(const char* name) noexcept {
  return {.name = name,
          .matmul_grouped = matmul_grouped,
          .matmul_grouped_f32 = matmul_grouped_f32,
          .matmul_dense = matmul_dense,
          .grouped_row = grouped_row,
          .dense_row = dense_row,
          .quantize = quantize,
          .rms_norm = rms_norm,
          .layer_norm = layer_norm,
          .activate = activate,
          .soft_cap = soft_cap_row,
          .scale_add = scale_add,
          .rope = rope,
          .append_kv = append_kv,
          .attention = attention,
          .finish_sums = finish_sums,
          .fma_peak = fma_peak,
          .dot_peak = dot_peak,
          .read_all = read_all};
}

}  // namespace colonnade::kernels::CN_ISA
