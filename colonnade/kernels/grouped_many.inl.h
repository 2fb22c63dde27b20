// Grouped weights times many tokens: a chunk of blocks is expanded once into scratch and meets
// every token. The chain of each output element is that of the one-token kernel: a chunk that ends
// inside a leaf stores the accumulators and the next one goes on.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/grouped_matrix.inl.h"
#include "colonnade/kernels/grouped_tile.inl.h"

namespace colonnade::kernels::CN_ISA {

struct ManyScratch {
  ExpandedBlock* blocks;  // [kChunkBlocks, panels]
  LeafSums sums;
  int32_t* corrections;  // [all blocks, subgroups, tile tokens]: what a dot starts from
};
constexpr int64_t kBlocksBytes = sizeof(ExpandedBlock) * kChunkBlocks * kGroupedPanels;
constexpr int64_t kLanesTile = kTokenTile * kGroupedPanels * kLanes;
constexpr int64_t kCorrections = (kScratchBytes - kBlocksBytes - 20 * kLanesTile) / 4;
static_assert(kCorrections > 1 << 16);

inline ManyScratch carve(Scratch scratch, bool exact) noexcept {
  auto* accumulators = reinterpret_cast<float*>(scratch.data + kBlocksBytes);
  auto* totals = accumulators + kLanesTile;
  auto* low = reinterpret_cast<int32_t*>(totals + kLanesTile);
  auto* wide = reinterpret_cast<int64_t*>(low + kLanesTile);
  return {reinterpret_cast<ExpandedBlock*>(scratch.data),
          {accumulators, totals, exact ? low : nullptr, wide},
          reinterpret_cast<int32_t*>(wide + kLanesTile)};
}

template <P16Format F, bool kInt15>
void expand_block(ExpandedBlock& e, const uint8_t* block, const uint8_t* tail,
                  ScaleType type) noexcept {
  const CodeLines<F> codes(block);
  repeat<8>(
      CN_UNROLLED(auto j) { store_codes(e.codes + 64 * j, codes_of<F, decltype(j){}>(codes)); });
  const BlockScales s = load_scales<F>(block, load_segment<F>(tail, type));
  store(e.scale, s.scale);
  if constexpr (two_scales(F)) store(e.scale1, s.scale1);
  if constexpr (F.offset) store(e.offset, s.offset);
  if constexpr (F.levels == 2) {
    const I32x16 sub0 = sub_scale<F, 0>(s), sub1 = sub_scale<F, 1>(s);
    store(e.sub0, kInt15 ? sub0 : bits(to_f32(sub0)));
    store(e.shift, mul(splat(-kMagic), to_f32(sub0)));
    if constexpr (F.subgroups == 2) store(e.sub1, kInt15 ? sub1 : bits(to_f32(sub1)));
  }
  if constexpr (F.offset && in_pairs(F)) store(e.min_pairs, s.min_pairs);
}

/// What is left of a packed format once codes are expanded.
struct Packing {
  void (*expand)(ExpandedBlock&, const uint8_t* block, const uint8_t* tail,
                 ScaleType type) noexcept;
  int64_t block_bytes;
  int64_t tail_bytes;  // behind a segment
  int32_t zero;        // dot_zero
  ScaleType scales;
};
template <P16Format F, bool kInt15>
constexpr Packing packing_of(ScaleType type) noexcept {
  return {expand_block<F, kInt15>, block_bytes(F), segment_tail_bytes(F, type), dot_zero<F>(),
          type};
}

/// out[i] = start + factor * (a[i] + b[i]); b may be null.
inline void scale_sums(int32_t* out, const int32_t* a, const int32_t* b, int32_t factor,
                       int32_t start, int64_t count) noexcept {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const I32x16 sum = b != nullptr ? add(load(a + i), load(b + i)) : load(a + i);
    store(out + i, add(splat(start), mul(splat(factor), sum)));
  }
  for (; i < count; ++i) out[i] = start + factor * (a[i] + (b != nullptr ? b[i] : 0));
}

/// What minimums of sub-groups are multiplied with: int8 the two sums of q as words, int15 either
/// as a float.
template <bool kInt15>
inline void fill_half_sums(int32_t* out, const int32_t* sums0, const int32_t* sums1,
                           int64_t count) noexcept {
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (kInt15) {
      out[i] = __builtin_bit_cast(int32_t, static_cast<float>(sums0[i]));
      out[count + i] = __builtin_bit_cast(int32_t, static_cast<float>(sums1[i]));
    } else {
      out[i] = sum_words(sums0[i], sums1[i]);
    }
  }
}

/// What the dots start from: -zero * sum of q, and kMagicBits where grouped_tile wants it; or what
/// minimums of sub-groups meet. Once for all panels.
template <P16Format E, bool kInt15>
void fill_corrections(int32_t* out, const CodesView& x, int32_t zero, Span tokens) noexcept {
  if constexpr (E.zero == 0 && !sub_minimums(E)) return;
  constexpr int32_t kStart = E.levels == 2 && !kInt15 ? kMagicBits : 0;
  const int64_t count = tokens.end - tokens.begin;
  for (int64_t b = 0; b < x.blocks; ++b, out += E.subgroups * count) {
    const int32_t* sums0 = x.half_sums + 2 * b * x.tokens + tokens.begin;
    const int32_t* sums1 = sums0 + x.tokens;
    if constexpr (sub_minimums(E)) {
      fill_half_sums<kInt15>(out, sums0, sums1, count);
    } else if constexpr (E.subgroups == 2) {
      scale_sums(out, sums0, nullptr, -zero, kStart, count);
      scale_sums(out + count, sums1, nullptr, -zero, 0, count);
    } else {
      scale_sums(out, sums0, sums1, -zero, kStart, count);
    }
  }
}

/// Packed bytes that the next chunk will read; tiles fetch them on their way.
template <int kPanels>
struct Ahead {
  const uint8_t* p[kPanels];
  int64_t bytes;  // of each panel
};

/// Tokens of a view that are made together, and those of them, counted from the tile's first, that
/// are wanted.
struct TokenTile {
  Span tokens;
  Span wanted;
};

/// The chunk meets the wanted tokens. Returns how many leaves were out of range.
template <P16Format E, bool kInt15, Joining J, int kPanels>
int64_t run_chunk(ManyScratch& s, const CodesView& x, const Chunk& chunk, const TokenTile& t,
                  Ahead<kPanels> ahead) noexcept {
  constexpr int kRows = J == Joining::careful ? 1 : kGroupedRows;  // care is rare: one by one
  constexpr int kWidth = kPanels * kLanes;
  const int64_t count = t.tokens.end - t.tokens.begin;
  const int32_t* corrections = s.corrections + chunk.block * E.subgroups * count;
  // Spread over the tiles: more than a dozen fetches at once would wait for each other.
  constexpr bool kMatrix = kMatrixTokens > 0 && E.subgroups == 1 && J != Joining::careful;
  const int64_t lines = (ahead.bytes / 64 + 1) * (kMatrix ? kMatrixTokens : kRows) / count + 1;
  int64_t bad = 0, fetched = 0;
  for (int64_t m = t.wanted.begin; m < t.wanted.end;) {
    for (int64_t i = 0; i < lines && fetched < ahead.bytes; ++i, fetched += 64) {
      for (int n = 0; n < kPanels; ++n) prefetch(ahead.p[n] + fetched);
    }
    const int64_t at = chunk.block * x.tokens + t.tokens.begin + m;
    const TileCodes tile = {x.hi + kBlock * at,
                            x.lo + (kInt15 ? kBlock * at : 0),
                            x.scale + at,
                            x.scaled_sum + at,
                            corrections + m,
                            x.tokens,
                            count};
    const int64_t left = t.wanted.end - m, lane = m * kWidth;
    const TileSums sums = s.sums.at(lane);
    int64_t answer, rows;
    if (kMatrix && left >= kMatrixTokens) {
      rows = kMatrixTokens;
      if constexpr (kMatrix) answer = matrix_tile<E, kInt15, J>(sums, s.blocks, chunk, tile);
    } else if (left >= kRows) {
      rows = kRows;
      answer = grouped_tile<E, kInt15, J, kRows, kPanels>(sums, s.blocks, chunk, tile);
    } else {
      rows = 1;
      answer = grouped_tile<E, kInt15, J, 1, kPanels>(sums, s.blocks, chunk, tile);
    }
    bad += s.sums.note(answer, lane, rows * kWidth);
    m += rows;
  }
  return bad;
}

/// A walk over the blocks of kPanels panels.
template <int kPanels>
struct BlockWalk {
  const uint8_t* p[kPanels];
  int32_t segment = 0;
  int32_t in_segment = 0;
};

/// The next chunk, expanded.
template <int kPanels>
void next_chunk(const ManyScratch& s, const KPlanView& plan, const Packing& packing,
                BlockWalk<kPanels>& walk, Chunk& chunk) noexcept {
  chunk.fresh = chunk.blocks == 0 || chunk.ends[chunk.blocks - 1];
  chunk.block += chunk.blocks;
  int b = 0;
  for (; b < kChunkBlocks && walk.segment < plan.segment_count; ++b) {
    const Segment segment = plan.segments[walk.segment];
    const int64_t tail = (segment.blocks - walk.in_segment) * packing.block_bytes;
    ++walk.in_segment;
    const bool last = walk.in_segment == segment.blocks;
    for (int n = 0; n < kPanels; ++n) {
      packing.expand(s.blocks[b * kPanels + n], walk.p[n], walk.p[n] + tail, packing.scales);
      walk.p[n] += packing.block_bytes + (last ? packing.tail_bytes : 0);
    }
    chunk.ends[b] = last && segment.ends_leaf != 0;
    if (last) {
      ++walk.segment;
      walk.in_segment = 0;
    }
  }
  chunk.blocks = b;
}

template <int kPanels>
void write_group(const ProductOut& out, const LeafSums& sums, Span panels, int64_t rows,
                 Span tokens) noexcept {
  for (int64_t t = 0; t < tokens.end - tokens.begin; ++t) {
    for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
      const int64_t row = panel * kLanes;
      const int64_t here = rows - row < kLanes ? rows - row : kLanes;
      const int64_t lane = (t * kPanels + panel - panels.begin) * kLanes;
      sums.write(out, lane, tokens.begin + t, row, here);
    }
  }
}

/// Wanted tokens x up to kPanels panels, all of K.
template <P16Format E, bool kInt15, Joining J, int kPanels>
int64_t panel_group(const GroupedView& w, const CodesView& x, const Packing& packing, Span panels,
                    const TokenTile& t, ManyScratch& s) noexcept {
  BlockWalk<kPanels> walk;
  for (int n = 0; n < kPanels; ++n) {  // a panel that is not there repeats the first
    walk.p[n] = w.panels +
                (panels.begin + n < panels.end ? panels.begin + n : panels.begin) * w.panel_bytes;
  }
  Chunk chunk;
  int64_t bad = 0;
  while (walk.segment < w.plan.segment_count) {
    next_chunk<kPanels>(s, w.plan, packing, walk, chunk);
    Ahead<kPanels> ahead;
    for (int n = 0; n < kPanels; ++n) ahead.p[n] = walk.p[n];
    ahead.bytes = kChunkBlocks * packing.block_bytes;
    bad += run_chunk<E, kInt15, J, kPanels>(s, x, chunk, t, ahead);
  }
  return bad;
}

/// The sums of a token tile x up to kPanels panels. Returns how many leaves were out of range.
template <P16Format E, bool kInt15, int kPanels>
int64_t sum_group(const GroupedView& w, const CodesView& x, const Packing& packing, Span panels,
                  Span tokens, ManyScratch& s) noexcept {
  constexpr int64_t kWidth = kPanels * kLanes;
  const int64_t count = tokens.end - tokens.begin;
  TokenTile t = {tokens, {0, count}};
  s.sums.begin(count * kWidth, w.plan.leaves);
  if (s.sums.low == nullptr) {
    return panel_group<E, kInt15, Joining::f32, kPanels>(w, x, packing, panels, t, s);
  }
  if (may_be_quick(w.plan.leaves)) {
    panel_group<E, kInt15, Joining::quick, kPanels>(w, x, packing, panels, t, s);
  } else {
    s.sums.left = {0, count * kWidth};
  }
  if (s.sums.left.begin == s.sums.left.end) return 0;
  t.wanted = {s.sums.left.begin / kWidth, s.sums.left.end / kWidth};
  s.sums.clear_wide();
  return panel_group<E, kInt15, Joining::careful, kPanels>(w, x, packing, panels, t, s);
}

/// Tokens of a tile: at most `most`, so that tiles are even and whole register tiles (a last tile
/// of a few tokens would expand all weights for them alone).
inline int64_t even_tile(int64_t tokens, int64_t most) noexcept {
  const int64_t tiles = (tokens + most - 1) / most;
  const int64_t even = (tokens + tiles - 1) / tiles;
  const int64_t whole = (even + kGroupedRows - 1) / kGroupedRows * kGroupedRows;
  return whole < most ? whole : most;
}

template <P16Format E, bool kInt15>
void many_panels(const GroupedView& w, const CodesView& x, const Packing& packing, Span panels,
                 const ProductOut& out, Scratch scratch) noexcept {
  constexpr int kPanels = kGroupedPanels;
  static_assert(kMatrixTokens == 0 || kPanels == 2);
  [[maybe_unused]] const MatrixTiles tiles;
  ManyScratch s = carve(scratch, out.exact != 0);
  const int64_t corrected = kCorrections / (int64_t{x.blocks} * E.subgroups);
  const int64_t tile = even_tile(x.tokens, corrected < kTokenTile ? corrected : kTokenTile);
  int64_t bad = 0;
  for (int64_t t = 0; t < x.tokens; t += tile) {
    const Span tokens = {t, x.tokens - t < tile ? x.tokens : t + tile};
    fill_corrections<E, kInt15>(s.corrections, x, packing.zero, tokens);
    for (int64_t panel = panels.begin; panel < panels.end; panel += kPanels) {
      const Span group = {panel, panels.end - panel < kPanels ? panels.end : panel + kPanels};
      bad += sum_group<E, kInt15, kPanels>(w, x, packing, group, tokens, s);
      write_group<kPanels>(out, s.sums, group, w.rows, tokens);
    }
  }
  if (bad != 0) *out.bad_leaves += bad;
}

}  // namespace colonnade::kernels::CN_ISA
