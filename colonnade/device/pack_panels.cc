#include "colonnade/device/pack_panels.h"

#include <algorithm>
#include <cstring>

#include "colonnade/base/error.h"
#include "colonnade/kernels/views.h"

namespace colonnade {
namespace {

using kernels::kBlock;
using kernels::kLanes;

constexpr int64_t kLine = 64;

uint32_t load32(const uint8_t* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

uint64_t load64(const uint8_t* from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

void store32(uint8_t* to, uint32_t value) { std::memcpy(to, &value, sizeof(value)); }

/// Bits [kShift, kShift + 2) of each code as two lines: bits 2j and 2j + 1 of the line's bytes are
/// quad j of its 16 elements.
template <int kShift>
void put_two_bit_plane(const uint8_t* codes, uint8_t* to) {
  for (int h = 0; h < 2; ++h) {
    uint32_t plane = 0;
    for (int j = 0; j < 4; ++j) {
      plane |= (load32(codes + 16 * h + 4 * j) >> kShift & 0x03030303u) << (2 * j);
    }
    store32(to + kLine * h, plane);
  }
}

/// Bit kShift of each code as one line: bit j of its bytes is quad j.
template <int kShift>
void put_one_bit_plane(const uint8_t* codes, uint8_t* to) {
  uint32_t plane = 0;
  for (int j = 0; j < 8; ++j) plane |= (load32(codes + 4 * j) >> kShift & 0x01010101u) << j;
  store32(to, plane);
}

void put_nibbles(const uint8_t* codes, uint8_t* to) {
  for (int l = 0; l < 4; ++l) {
    const uint64_t nibbles = load64(codes + 8 * l) & 0x0f0f0f0f0f0f0f0fu;
    store32(to + kLine * l, static_cast<uint32_t>(nibbles | nibbles >> 28));
  }
}

/// Writes one row's 32 codes of a block; `to` points at the row's four bytes of the block's first
/// line. Bytes of a u64 are elements along K, the lowest first (little-endian, as every target
/// here).
template <int kBits>
void put_codes(const uint8_t* codes, uint8_t* to) {
  if constexpr (kBits == 8) {
    for (int j = 0; j < 8; ++j) store32(to + kLine * j, load32(codes + 4 * j));
  } else if constexpr (kBits < 4) {
    put_two_bit_plane<0>(codes, to);
    if constexpr (kBits == 3) put_one_bit_plane<2>(codes, to + kLine * 2);
  } else {
    put_nibbles(codes, to);
    if constexpr (kBits == 5) put_one_bit_plane<4>(codes, to + kLine * 4);
    if constexpr (kBits == 6) put_two_bit_plane<4>(codes, to + kLine * 4);
  }
}

/// Packs panels of one format. The 16 rows begin at row `first_`; `count_` of them exist.
class PanelPacker {
 public:
  PanelPacker(const GroupedRows& rows, int64_t first)
      : rows_(rows),
        format_(grouped_format(rows.format)),
        once_(super_block(rows.format) != 0),
        first_(first),
        count_(std::clamp<int64_t>(rows.rows - first, 0, kLanes)),
        groups_(rows.groups()),
        supers_(rows.supers()) {}

  template <int kBits>
  void pack(const KPlan& plan, uint8_t* to) const {
    auto run = plan.runs().begin();
    for (const KSegment& segment : plan.segments()) {
      const KRun& first_run = *run;
      for (int32_t b = 0; b < segment.blocks; ++b, ++run) {
        pack_codes<kBits>(*run, to);
        to += kBits * kBlock * kLanes / 8;
        if (!once_) to = pack_scales(rows_.group_of(run->k_begin), groups_, to);
        if (format_.super != 0) to = pack_sub_scales(*run, to);
      }
      if (!once_) continue;
      to = format_.super == 0 ? pack_scales(rows_.group_of(first_run.k_begin), groups_, to)
                              : pack_scales(rows_.super_of(first_run.k_begin), supers_, to);
    }
  }

 private:
  template <int kBits>
  void pack_codes(const KRun& run, uint8_t* to) const {
    const uint8_t* codes = rows_.codes.data() + first_ * rows_.cols + run.k_begin;
    uint8_t padded[kBlock];
    std::memset(padded, format_.zero, sizeof(padded));
    for (int64_t r = 0; r < count_; ++r, codes += rows_.cols) {
      const uint8_t* from = codes;
      if (run.length < kBlock) {
        std::memcpy(padded, codes, static_cast<size_t>(run.length));
        from = padded;
      }
      put_codes<kBits>(from, to + 4 * r);
    }
    std::memset(padded, format_.zero, sizeof(padded));
    for (int64_t r = count_; r < kLanes; ++r) put_codes<kBits>(padded, to + 4 * r);
  }

  /// 16 scales, then 16 offsets, of group or super-block `index` of `per_row`.
  uint8_t* pack_scales(int64_t index, int64_t per_row, uint8_t* to) const {
    switch (scale_bytes(format_.scales)) {
      case 1:
        return pack_scales<uint8_t>(index, per_row, to);
      case 2:
        return pack_scales<uint16_t>(index, per_row, to);
      default:
        return pack_scales<uint32_t>(index, per_row, to);
    }
  }
  template <typename Bits>
  uint8_t* pack_scales(int64_t index, int64_t per_row, uint8_t* to) const {
    to = put_column<Bits>(rows_.scales.data(), index, per_row, to);
    return format_.offset ? put_column<Bits>(rows_.offsets.data(), index, per_row, to) : to;
  }

  uint8_t* pack_sub_scales(const KRun& run, uint8_t* to) const {
    return format_.group == 16 && format_.bits < 4 ? pack_pairs(run, to) : pack_bytes(run, to);
  }

  /// 16 bytes of sub-scales per sub-group of the block, then 16 of sub-minimums.
  uint8_t* pack_bytes(const KRun& run, uint8_t* to) const {
    for (int begin = 0; begin < kBlock; begin += format_.group) {
      if (begin < run.length) {
        const int64_t group = rows_.group_of(run.k_begin + begin);
        to = put_column<int8_t>(rows_.sub_scales.data(), group, groups_, to);
      } else {
        std::memset(to, 0, kLanes);
        to += kLanes;
      }
    }
    if (!format_.offset) return to;
    return put_column<uint8_t>(rows_.sub_offsets.data(), rows_.group_of(run.k_begin), groups_, to);
  }

  /// Two bytes per row, one for each sub-group: sub-scale, and sub-minimum in the upper four bits.
  uint8_t* pack_pairs(const KRun& run, uint8_t* to) const {
    std::memset(to, 0, 2 * kLanes);
    for (int half = 0; half < 2 && 16 * half < run.length; ++half) {
      const int64_t group = first_ * groups_ + rows_.group_of(run.k_begin + 16 * half);
      for (int64_t r = 0; r < count_; ++r) {
        const auto at = static_cast<size_t>(group + r * groups_);
        auto byte = static_cast<uint8_t>(rows_.sub_scales[at]);
        if (format_.offset) byte |= static_cast<uint8_t>(rows_.sub_offsets[at] << 4);
        to[2 * r + half] = byte;
      }
    }
    return to + 2 * kLanes;
  }

  /// Element `index` of each of the 16 rows of a table [rows, per_row]; zero for rows that are
  /// missing.
  template <typename T>
  uint8_t* put_column(const void* table, int64_t index, int64_t per_row, uint8_t* to) const {
    T column[kLanes] = {};
    const auto* from = static_cast<const uint8_t*>(table) +
                       static_cast<int64_t>(sizeof(T)) * (first_ * per_row + index);
    const int64_t step = static_cast<int64_t>(sizeof(T)) * per_row;
    for (int64_t r = 0; r < count_; ++r) std::memcpy(&column[r], from + r * step, sizeof(T));
    std::memcpy(to, column, sizeof(column));
    return to + sizeof(column);
  }

  const GroupedRows& rows_;
  const GroupedFormat format_;
  const bool once_;  // scales stand once per segment
  const int64_t first_;
  const int64_t count_;
  const int64_t groups_;
  const int64_t supers_;
};

/// Eight 32-bit elements, moved and never computed with. f32, because AVX shuffles those eight at a
/// time and integers only with AVX2.
typedef float Eight __attribute__((vector_size(32)));

/// An 8 x 8 square of 32-bit elements: to[i][r] = from[r][i]. Strides in elements; no alignment.
void transpose_square(const void* from, int64_t from_stride, void* to, int64_t to_stride) {
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  Eight row[8], pair[8], quad[8];
  for (int r = 0; r < 8; ++r) std::memcpy(&row[r], source + 4 * from_stride * r, sizeof(Eight));
  for (int r = 0; r < 8; r += 2) {
    pair[r] = __builtin_shufflevector(row[r], row[r + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pair[r + 1] = __builtin_shufflevector(row[r], row[r + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int half = 0; half < 8; half += 4) {
    for (int i = 0; i < 2; ++i) {
      const Eight upper = pair[half + i], lower = pair[half + i + 2];
      quad[half + 2 * i] = __builtin_shufflevector(upper, lower, 0, 1, 8, 9, 4, 5, 12, 13);
      quad[half + 2 * i + 1] = __builtin_shufflevector(upper, lower, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    const Eight low = __builtin_shufflevector(quad[i], quad[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    const Eight high = __builtin_shufflevector(quad[i], quad[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    std::memcpy(target + 4 * to_stride * i, &low, sizeof(Eight));
    std::memcpy(target + 4 * to_stride * (i + 4), &high, sizeof(Eight));
  }
}

/// to[i][r] = from[r][i] for `rows` x `cols` 32-bit elements, both strided in elements.
struct Transpose {
  const std::byte* from;
  int64_t from_stride;
  std::byte* to;
  int64_t to_stride;

  void run(int64_t rows, int64_t cols) const {
    for (int64_t r = 0; r < rows; r += 8) {
      for (int64_t i = 0; i < cols; i += 8) {
        const std::byte* source = from + 4 * (r * from_stride + i);
        std::byte* target = to + 4 * (i * to_stride + r);
        if (r + 8 <= rows && i + 8 <= cols) {
          transpose_square(source, from_stride, target, to_stride);
        } else {
          edge(source, target, std::min<int64_t>(8, rows - r), std::min<int64_t>(8, cols - i));
        }
      }
    }
  }

 private:
  void edge(const std::byte* source, std::byte* target, int64_t rows, int64_t cols) const {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < cols; ++i) {
        std::memcpy(target + 4 * (i * to_stride + r), source + 4 * (r * from_stride + i), 4);
      }
    }
  }
};

/// Pairs of elements, row by row: where rows do not begin at a whole pair.
void put_pairs(const uint16_t* rows, int64_t count, int64_t k, int64_t pairs, uint32_t* panels) {
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t i = 0; i < pairs; ++i) {
      std::memcpy(panels + i * 4 * kLanes + r, rows + r * k + 2 * i, 4);
    }
  }
}

}  // namespace

void pack_grouped_panel(const GroupedRows& rows, int64_t first, const KPlan& plan, uint8_t* panel) {
  const PanelPacker packer(rows, first);
  switch (grouped_format(rows.format).bits) {
    case 2:
      return packer.pack<2>(plan, panel);
    case 3:
      return packer.pack<3>(plan, panel);
    case 4:
      return packer.pack<4>(plan, panel);
    case 5:
      return packer.pack<5>(plan, panel);
    case 6:
      return packer.pack<6>(plan, panel);
    case 8:
      return packer.pack<8>(plan, panel);
    default:
      CN_ASSERT(false, "no P16 panels for ", name_of(rows.format));
  }
}

void pack_f32_panel(const float* rows, int64_t count, int64_t k, float* panel) {
  if (count < kLanes) std::fill_n(panel, k * kLanes, 0.0f);
  const Transpose transpose{reinterpret_cast<const std::byte*>(rows), k,
                            reinterpret_cast<std::byte*>(panel), kLanes};
  transpose.run(count, k);
}

void pack_pair_panels(const uint16_t* rows, int64_t count, const KPlan& plan, uint32_t* panels) {
  constexpr int64_t kStride = 4 * kLanes;  // u32 from one line of a panel to its next
  int64_t begin = 0;
  for (const int64_t leaf_end : plan.leaf_ends()) {
    const int64_t pairs = (leaf_end - begin) / 2;
    if (plan.k() % 2 == 0 && begin % 2 == 0) {
      const Transpose transpose{reinterpret_cast<const std::byte*>(rows + begin), plan.k() / 2,
                                reinterpret_cast<std::byte*>(panels), kStride};
      transpose.run(count, pairs);
    } else {
      put_pairs(rows + begin, count, plan.k(), pairs, panels);
    }
    panels += pairs * kStride;
    if ((leaf_end - begin) % 2 != 0) {  // half a line: the odd element alone
      for (int64_t r = 0; r < count; ++r) panels[r] = rows[r * plan.k() + leaf_end - 1];
      panels += kStride;
    }
    begin = leaf_end;
  }
}

}  // namespace colonnade
