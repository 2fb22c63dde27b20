// Attention over a paged KV cache. Each page is one chunk: its own maximum, sum and weighted values
// from zero; chunks merge in order of position (docs/numerics.md), so prefill, decode, batches and
// cached prefixes give the same bits.
#pragma once

#include "colonnade/kernels/math.inl.h"
#include "colonnade/kernels/rows.inl.h"
#include "colonnade/kernels/unroll.inl.h"

namespace colonnade::kernels::CN_ISA {

constexpr int kPagePanels = kPage / kLanes;
constexpr int kAttentionRows = 4;  // query rows of a tile: 4 x 4 score accumulators
// Vectors beside the rows of a tile: 16 accumulators where there are 32 registers; 4 of two
// registers each where there are 16. One row alone takes 4, or it would wait on its own FMA.
template <int kRows>
constexpr int kAttentionVectors = kRows > 1 && kDensePanels == 1 ? 1 : 4;
constexpr int32_t kMaxHeadDim = 512;

template <CacheKind C>
inline F32x16 load_cached(const void* base, int64_t index) noexcept {
  if constexpr (C == CacheKind::f32) return load(static_cast<const float*>(base) + index);
  return load_bf16(static_cast<const uint16_t*>(base) + index);
}

constexpr int64_t padded_dim(int32_t head_dim) noexcept {
  return (head_dim + kLanes - 1) / kLanes * kLanes;
}

/// scores [rows, 64]: chains over the head dimension, lane = position.
template <CacheKind C, int kRows>
void score_page(float* scores, const float* q, int64_t q_stride, const void* keys,
                int32_t head_dim) noexcept {
  constexpr int kPanels = kAttentionVectors<kRows>;
  for (int64_t first = 0; first < kPagePanels; first += kPanels) {
    F32x16 acc[kRows][kPanels];
    repeat<kRows>(
        CN_UNROLLED(auto m) { repeat<kPanels>(CN_UNROLLED(auto n) { acc[m][n] = splat(0.0F); }); });
    for (int32_t d = 0; d < head_dim; ++d) {
      repeat<kPanels>(CN_UNROLLED(auto n) {
        const F32x16 key = load_cached<C>(keys, ((first + n) * head_dim + d) * kLanes);
        repeat<kRows>(
            CN_UNROLLED(auto m) { acc[m][n] = fma(splat(q[m * q_stride + d]), key, acc[m][n]); });
      });
    }
    repeat<kRows>(CN_UNROLLED(auto m) {
      repeat<kPanels>(
          CN_UNROLLED(auto n) { store(scores + m * kPage + (first + n) * kLanes, acc[m][n]); });
    });
  }
}

struct RowState {
  float max;
  float sum;
};

constexpr float kLaneNumbers[kLanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Scores of a page's keys, as the task wants them, of a row at `position`.
inline void shape_scores(float* scores, const AttentionTask& task, int64_t position,
                         int64_t page) noexcept {
  const F32x16 cap = splat(task.softcap), slope = splat(task.slope);
  for (int n = 0; n < kPagePanels; ++n) {
    F32x16 score = load(scores + n * kLanes);
    if (task.softcap > 0) score = soft_cap(score, cap);
    if (task.slope != 0) {
      const auto first = static_cast<float>(page * kPage + n * kLanes - position);
      score = fma(slope, add(load(kLaneNumbers), splat(first)), score);
    }
    store(scores + n * kLanes, score);
  }
}

/// Scores [begin, end) become exp(score - max), 0 elsewhere; returns max and the sum by the tree.
inline RowState soften(float* scores, int64_t begin, int64_t end) noexcept {
  const float lowest = -__builtin_inff();
  const bool whole = end - begin == kPage;
  F32x16 most = splat(lowest);
  for (int n = 0; n < kPagePanels; ++n) {
    F32x16 score = load(scores + n * kLanes);
    if (!whole) score = keep_lanes(score, begin - n * kLanes, end - n * kLanes, lowest);
    most = max(score, most);
  }
  const float m = reduce_max(most);
  F32x16 sum[2] = {splat(0.0F), splat(0.0F)};
  repeat<kPagePanels>(CN_UNROLLED(auto n) {
    F32x16 p = exp(sub(load(scores + n * kLanes), splat(m)));
    if (!whole) p = keep_lanes(p, begin - n * kLanes, end - n * kLanes, 0.0F);
    store(scores + n * kLanes, p);
    sum[n % 2] = add(sum[n % 2], p);
  });
  return {m, reduce_add(add(sum[0], sum[1]))};
}

/// out [kRows rows of out_stride, kVectors * 16] = chain of p[m][i] * V[i] over positions [begin,
/// end); from zero if `fresh`.
template <CacheKind C, int kRows, int kVectors>
void weigh(float* out, int64_t out_stride, const float* p, const void* values, int64_t dim,
           int64_t d, Span positions, bool fresh) noexcept {
  F32x16 acc[kRows][kVectors];
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kVectors>(CN_UNROLLED(auto v) {
      acc[m][v] = fresh ? splat(0.0F) : load(out + m * out_stride + d + v * kLanes);
    });
  });
  for (int64_t i = positions.begin; i < positions.end; ++i) {
    repeat<kVectors>(CN_UNROLLED(auto v) {
      const F32x16 value = load_cached<C>(values, i * dim + d + v * kLanes);
      repeat<kRows>(
          CN_UNROLLED(auto m) { acc[m][v] = fma(splat(p[m * kPage + i]), value, acc[m][v]); });
    });
  }
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kVectors>(
        CN_UNROLLED(auto v) { store(out + m * out_stride + d + v * kLanes, acc[m][v]); });
  });
}

template <CacheKind C, int kRows>
void weigh_all(float* out, int64_t out_stride, const float* p, const void* values, int64_t dim,
               Span positions, bool fresh) noexcept {
  constexpr int kVectors = kAttentionVectors<kRows>;
  int64_t d = 0;
  for (; d + kVectors * kLanes <= dim; d += kVectors * kLanes) {
    weigh<C, kRows, kVectors>(out, out_stride, p, values, dim, d, positions, fresh);
  }
  for (; d < dim; d += kLanes)
    weigh<C, kRows, 1>(out, out_stride, p, values, dim, d, positions, fresh);
}

/// e^(m_row - m) and e^(m_chunk - m) of every row of a tile, m the larger of both: one exp for all.
struct MergeFactors {
  alignas(64) float row[kLanes];  // [0, rows): of the row; [kAttentionRows, ..): of the chunk
};
static_assert(2 * kAttentionRows <= kLanes);
inline MergeFactors merge_factors(const RowState* rows, const RowState* chunks,
                                  int count) noexcept {
  MergeFactors f = {};
  for (int i = 0; i < count; ++i) {
    const float m = rows[i].max > chunks[i].max ? rows[i].max : chunks[i].max;
    f.row[i] = rows[i].max - m;
    f.row[kAttentionRows + i] = chunks[i].max - m;
  }
  store(f.row, exp(load(f.row)));
  return f;
}

/// (m, l, o) of a row so far, and of the chunk that joins it.
inline void merge(RowState& row, float* o, RowState chunk, const float* o_c, int64_t dim,
                  float factor, float chunk_factor) noexcept {
  const F32x16 a = splat(factor), b = splat(chunk_factor);
  row.sum = __builtin_fmaf(row.sum, factor, chunk.sum * chunk_factor);
  row.max = row.max > chunk.max ? row.max : chunk.max;
  for (int64_t d = 0; d < dim; d += kLanes)
    store(o + d, fma(load(o + d), a, mul(load(o_c + d), b)));
}

struct AttentionTile {
  float* q;        // [rows, dim] scaled
  float* o;        // [rows, dim] merged
  float* o_chunk;  // [rows, dim]
  float* scores;   // [rows, 64]
  int64_t dim;
};

/// Positions of a page that a row at `position` sees, as offsets in the page; empty when none.
inline Span visible(const AttentionTask& task, int64_t position, int64_t page) noexcept {
  const int64_t first = task.window > 0 && position >= task.window ? position - task.window + 1 : 0;
  const int64_t begin = first > page * kPage ? first - page * kPage : 0;
  const int64_t end = position + 1 - page * kPage;
  return {begin, end < kPage ? end : kPage};
}

template <CacheKind C>
void attend_page(const AttentionTask& task, const AttentionTile& t, int64_t first, int rows,
                 int64_t page, RowState* states) noexcept {
  const PageView view = task.pages[page];
  Span seen[kAttentionRows];
  Span common = {0, kPage};
  for (int m = 0; m < rows; ++m) {
    seen[m] = visible(task, task.first_position + first + m, page);
    common.begin = seen[m].begin > common.begin ? seen[m].begin : common.begin;
    common.end = seen[m].end < common.end ? seen[m].end : common.end;
  }
  // All rows start their chains together: only then may they share the loop over the positions that
  // all of them see.
  bool together = rows == kAttentionRows && common.begin < common.end;
  for (int m = 0; m < rows; ++m) together = together && seen[m].begin == common.begin;
  if (rows == kAttentionRows) {
    score_page<C, kAttentionRows>(t.scores, t.q, t.dim, view.keys, task.head_dim);
  } else {
    for (int m = 0; m < rows; ++m) {
      score_page<C, 1>(t.scores + m * kPage, t.q + m * t.dim, t.dim, view.keys, task.head_dim);
    }
  }
  RowState chunk[kAttentionRows] = {};
  const bool shaped = task.softcap > 0 || task.slope != 0;
  for (int m = 0; m < rows; ++m) {
    if (seen[m].begin >= seen[m].end) continue;
    float* scores = t.scores + m * kPage;
    if (shaped) shape_scores(scores, task, task.first_position + first + m, page);
    chunk[m] = soften(scores, seen[m].begin, seen[m].end);
  }
  const MergeFactors factors = merge_factors(states, chunk, rows);
  if (together)
    weigh_all<C, kAttentionRows>(t.o_chunk, t.dim, t.scores, view.values, t.dim, common, true);
  for (int m = 0; m < rows; ++m) {
    if (seen[m].begin >= seen[m].end) continue;
    float* o_c = t.o_chunk + m * t.dim;
    const Span rest = {together ? common.end : seen[m].begin, seen[m].end};
    if (!together || rest.begin < rest.end) {
      weigh_all<C, 1>(o_c, t.dim, t.scores + m * kPage, view.values, t.dim, rest, !together);
    }
    if (states[m].sum < 0) {  // the first visited chunk is copied
      states[m] = chunk[m];
      for (int64_t d = 0; d < t.dim; d += kLanes) store(t.o + m * t.dim + d, load(o_c + d));
    } else {
      merge(states[m], t.o + m * t.dim, chunk[m], o_c, t.dim, factors.row[m],
            factors.row[kAttentionRows + m]);
    }
  }
}

template <CacheKind C>
void attend_rows(const AttentionTask& task, const AttentionTile& t, int64_t first,
                 int rows) noexcept {
  RowState states[kAttentionRows];
  for (int m = 0; m < rows; ++m) {
    states[m] = {0.0F, -1.0F};
    const float* q = task.q + (first + m) * task.q_stride;
    for (int32_t d = 0; d < task.head_dim; ++d) t.q[m * t.dim + d] = q[d] * task.scale;
  }
  const int64_t last = task.first_position + first + rows - 1;
  const int64_t lowest = task.first_position + first;
  const int64_t begin =
      task.window > 0 && lowest >= task.window ? (lowest - task.window + 1) / kPage : 0;
  for (int64_t page = begin; page <= last / kPage; ++page)
    attend_page<C>(task, t, first, rows, page, states);
  // The sink joins as a chunk without values: (sink, 1, 0).
  const RowState sink[kAttentionRows] = {
      {task.sink, 1.0F}, {task.sink, 1.0F}, {task.sink, 1.0F}, {task.sink, 1.0F}};
  MergeFactors factors = {};
  if (task.has_sink != 0) factors = merge_factors(states, sink, rows);
  for (int m = 0; m < rows; ++m) {
    float* out = task.out + (first + m) * task.out_stride;
    float scale = 1.0F, sum = states[m].sum;
    if (task.has_sink != 0) {
      scale = factors.row[m];
      sum = __builtin_fmaf(sum, scale, factors.row[kAttentionRows + m]);
    }
    for (int64_t d = 0; d < task.head_dim; d += kLanes) {
      F32x16 o = load(t.o + m * t.dim + d);
      if (task.has_sink != 0) o = mul(o, splat(scale));
      store_part(out + d, div(o, splat(sum)), task.head_dim - d);
    }
  }
}

inline void attention(const AttentionTask& task, Scratch scratch) noexcept {
  const int64_t dim = padded_dim(task.head_dim);
  auto* p = reinterpret_cast<float*>(scratch.data);
  const int64_t tile = kAttentionRows * dim;
  const AttentionTile t = {p, p + tile, p + 2 * tile, p + 3 * tile, dim};
  for (int64_t first = 0; first < task.tokens; first += kAttentionRows) {
    const int64_t left = task.tokens - first;
    const int rows = left < kAttentionRows ? static_cast<int>(left) : kAttentionRows;
    if (task.cache == CacheKind::f32) {
      attend_rows<CacheKind::f32>(task, t, first, rows);
    } else {
      attend_rows<CacheKind::bf16>(task, t, first, rows);
    }
  }
}

inline void append_kv(PageView page, int32_t slot, const float* key, const float* value,
                      int32_t head_dim, CacheKind cache) noexcept {
  const int64_t dim = padded_dim(head_dim);
  const int64_t key_at = int64_t{slot} / kLanes * head_dim * kLanes + slot % kLanes;
  if (cache == CacheKind::f32) {
    auto* keys = static_cast<float*>(page.keys) + key_at;
    auto* values = static_cast<float*>(page.values) + slot * dim;
    for (int32_t d = 0; d < head_dim; ++d) keys[int64_t{d} * kLanes] = key[d];
    for (int64_t d = 0; d < dim; d += kLanes) store(values + d, load_part(value + d, head_dim - d));
    return;
  }
  auto* keys = static_cast<uint16_t*>(page.keys) + key_at;
  auto* values = static_cast<uint16_t*>(page.values) + slot * dim;
  for (int32_t d = 0; d < head_dim; d += kLanes) {
    uint16_t rounded[kLanes];
    store_bf16(rounded, load_part(key + d, head_dim - d));
    for (int32_t i = 0; i < kLanes && d + i < head_dim; ++i)
      keys[int64_t{d + i} * kLanes] = rounded[i];
  }
  for (int64_t d = 0; d < dim; d += kLanes)
    store_bf16(values + d, load_part(value + d, head_dim - d));
}

}  // namespace colonnade::kernels::CN_ISA
