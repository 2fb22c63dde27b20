#include "colonnade/device/pack_panels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/turn_square.h"
#include "colonnade/kernels/views.h"

namespace colonnade {
namespace {

using kernels::kBlock;
using kernels::kLanes;

constexpr int64_t kLine = 64;

/// to[i][r] = from[r][i] for rows of elements T; strides in bytes.
template <typename T>
struct Turn {
  const std::byte* from;
  int64_t from_stride;
  std::byte* to;
  int64_t to_stride;

  /// Columns of a source line at a time, all rows of them: each line of either side is met once,
  /// though the rows stand a power of two apart and want the same few places of the first cache.
  void run(int64_t rows, int64_t cols) const {
    for (int64_t i = 0; i < cols; i += kLine / kBytes) {
      const int64_t line_end = std::min(cols, i + kLine / kBytes);
      int64_t r = 0;
      if constexpr (kBytes == 4) r = large_squares(rows, i, line_end);
      for (; r < rows; r += kSide) squares(r, std::min(rows, r + kSide), i, line_end);
    }
  }

 private:
  static constexpr int64_t kBytes = sizeof(T);
  static constexpr int64_t kSide = kSquareSide<T>;

  /// Returns the first row that is left.
  int64_t large_squares(int64_t rows, int64_t i, int64_t col_end) const {
    if (col_end - i < kLine / kBytes) return 0;
    const int64_t whole = rows / 8 * 8;
    for (int64_t r = 0; r < whole; r += 8) {
      turn_square_of_8(source(r, i), from_stride, target(i, r), to_stride);
      turn_square_of_8(source(r, i + 8), from_stride, target(i + 8, r), to_stride);
    }
    return whole;
  }

  void squares(int64_t r, int64_t row_end, int64_t i, int64_t col_end) const {
    if (row_end - r == kSide) {
      for (; i + kSide <= col_end; i += kSide) {
        turn_square<T>(source(r, i), from_stride, target(i, r), to_stride);
      }
    }
    for (; i < col_end; ++i) {
      for (int64_t row = r; row < row_end; ++row) {
        std::memcpy(target(i, row), source(row, i), sizeof(T));
      }
    }
  }
  const std::byte* source(int64_t r, int64_t i) const {
    return from + r * from_stride + i * kBytes;
  }
  std::byte* target(int64_t i, int64_t r) const { return to + i * to_stride + r * kBytes; }
};

[[gnu::always_inline]] inline void put_line(uint8_t* to, int line, Words4 words) {
  std::memcpy(to + kLine * line, &words, sizeof words);
}

/// Bits [kShift, kShift + 2) of each code as two lines: bits 2j and 2j + 1 of the line's bytes are
/// quad j of its 16 elements. Written out, as the following: loops would keep quads in memory.
template <int kShift, size_t... kHalf>
[[gnu::always_inline]] inline void put_two_bit_plane(const Words4* q, uint8_t* to,
                                                     std::index_sequence<kHalf...>) {
  const auto bits = [q](size_t j) { return q[j] >> kShift & 0x03030303u; };
  (put_line(to, kHalf,
            bits(4 * kHalf) | bits(4 * kHalf + 1) << 2 | bits(4 * kHalf + 2) << 4 |
                bits(4 * kHalf + 3) << 6),
   ...);
}

/// Bit kShift of each code as one line: bit j of its bytes is quad j.
template <int kShift, size_t... kQuad>
[[gnu::always_inline]] inline void put_one_bit_plane(const Words4* q, uint8_t* to,
                                                     std::index_sequence<kQuad...>) {
  put_line(to, 0, (((q[kQuad] >> kShift & 0x01010101u) << kQuad) | ...));
}

template <size_t... kLineIndex>
[[gnu::always_inline]] inline void put_nibbles(const Words4* q, uint8_t* to,
                                               std::index_sequence<kLineIndex...>) {
  (put_line(to, kLineIndex,
            (q[2 * kLineIndex] & 0x0f0f0f0fu) | (q[2 * kLineIndex + 1] & 0x0f0f0f0fu) << 4),
   ...);
}

/// Writes the 32 codes of a block of four rows. A lane of quads[j] is elements 4j to 4j + 3 of a
/// row, the lowest byte first (little-endian, as every target here); `to` points at the first row's
/// four bytes of the block's first line.
template <int kBits>
[[gnu::always_inline]] inline void put_codes(const Words4* quads, uint8_t* to) {
  constexpr std::make_index_sequence<2> kTwo;
  constexpr std::make_index_sequence<8> kQuads;
  if constexpr (kBits < 4) {
    put_two_bit_plane<0>(quads, to, kTwo);
    if constexpr (kBits == 3) put_one_bit_plane<2>(quads, to + kLine * 2, kQuads);
  } else {
    put_nibbles(quads, to, std::make_index_sequence<4>());
    if constexpr (kBits == 5) put_one_bit_plane<4>(quads, to + kLine * 4, kQuads);
    if constexpr (kBits == 6) put_two_bit_plane<4>(quads, to + kLine * 4, kTwo);
  }
}

/// A table [16, per_row] of elements of `width` bytes, read by columns. The last rows are missing
/// but for `count`. Columns are turned 16 at a time, so that rows are read by lines.
class Columns {
 public:
  Columns(const void* table, int64_t width, int64_t per_row, int64_t count)
      : table_(static_cast<const std::byte*>(table)),
        width_(width),
        per_row_(per_row),
        count_(count) {}

  /// Copies column `index`, zero for rows that are missing, to `to` and returns what is behind it.
  uint8_t* put(int64_t index, uint8_t* to) {
    const std::byte* column = at(index);
    switch (width_) {  // sizes that the compiler knows: no call for a few bytes
      case 1:
        std::memcpy(to, column, kLanes);
        break;
      case 2:
        std::memcpy(to, column, 2 * kLanes);
        break;
      default:
        std::memcpy(to, column, 4 * kLanes);
    }
    return to + kLanes * width_;
  }

  /// [16], valid until the next call.
  const std::byte* at(int64_t index) {
    if (index < begin_ || index >= begin_ + kWindow) turn(index);
    return columns_ + (index - begin_) * kLanes * width_;
  }

 private:
  static constexpr int64_t kWindow = 16;

  /// Not inline: seldom done, and the registers that it wants would be saved by each look.
  [[gnu::noinline]] void turn(int64_t index) {
    begin_ = index;
    if (count_ < kLanes) std::memset(columns_, 0, sizeof columns_);
    switch (width_) {
      case 1:
        return turn_columns<uint8_t>();
      case 2:
        return turn_columns<uint16_t>();
      default:
        return turn_columns<uint32_t>();
    }
  }
  template <typename T>
  void turn_columns() {
    const Turn<T> rows{table_ + begin_ * width_, per_row_ * width_, columns_, kLanes * width_};
    rows.run(count_, std::min(kWindow, per_row_ - begin_));
  }

  const std::byte* table_;
  int64_t width_;
  int64_t per_row_;
  int64_t count_;
  int64_t begin_ = -kWindow;
  alignas(kLine) std::byte columns_[kWindow * kLanes * sizeof(uint32_t)];
};

int shift_of(int size) {
  CN_ASSERT(std::has_single_bit(static_cast<unsigned>(size)), "group of ", size);
  return std::countr_zero(static_cast<unsigned>(size));
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
        group_shift_(shift_of(format_.group)),
        super_shift_(format_.super == 0 ? 0 : shift_of(format_.super)),
        scales_(columns_of(rows.scales, scales_per_row(), scale_bytes(format_.scales))),
        offsets_(columns_of(rows.offsets, scales_per_row(), scale_bytes(format_.scales))),
        sub_scales_(columns_of(rows.sub_scales, rows.groups(), 1)),
        sub_offsets_(columns_of(rows.sub_offsets, rows.groups(), 1)) {}

  template <int kBits>
  void pack(const KPlan& plan, uint8_t* to) {
    auto run = plan.runs().begin();
    for (const KSegment& segment : plan.segments()) {
      const KRun& first_run = *run;
      for (int32_t b = 0; b < segment.blocks; ++b, ++run) {
        pack_codes<kBits>(*run, to);
        to += kBits * kBlock * kLanes / 8;
        if (!once_) to = pack_scales(group_of(run->k_begin), to);
        if (format_.super != 0) to = pack_sub_scales(*run, to);
      }
      if (!once_) continue;
      to = pack_scales(
          format_.super == 0 ? group_of(first_run.k_begin) : super_of(first_run.k_begin), to);
    }
  }

 private:
  // As GroupedRows says, for sizes that are powers of two: two divisions per block would take as
  // long as its codes.
  int64_t group_of(int64_t col) const { return place(col, group_shift_); }
  int64_t super_of(int64_t col) const { return place(col, super_shift_); }
  int64_t place(int64_t col, int shift) const {
    return ((rows_.begin + col) >> shift) - (rows_.begin >> shift);
  }

  int64_t scales_per_row() const { return format_.super == 0 ? rows_.groups() : rows_.supers(); }

  template <typename T>
  Columns columns_of(const std::vector<T>& table, int64_t per_row, int64_t width) const {
    const T* rows = table.empty() ? nullptr : table.data() + first_ * per_row * width;
    return {rows, width, per_row, count_};
  }

  template <int kBits>
  void pack_codes(const KRun& run, uint8_t* to) const {
    const uint8_t* codes = rows_.codes.data() + first_ * rows_.cols + run.k_begin;
    if (count_ == kLanes && run.length == kBlock) return put_rows<kBits>(codes, rows_.cols, to);
    uint8_t padded[kLanes * kBlock];
    std::memset(padded, format_.zero, sizeof padded);
    for (int64_t r = 0; r < count_; ++r) {
      std::memcpy(padded + kBlock * r, codes + rows_.cols * r, static_cast<size_t>(run.length));
    }
    put_rows<kBits>(padded, kBlock, to);
  }
  /// The codes of a block: 16 rows, `stride` bytes from one to the next.
  template <int kBits>
  static void put_rows(const uint8_t* codes, int64_t stride, uint8_t* to) {
    if constexpr (kBits == 8) {  // as they are
      turn_square_of_8(codes, stride, to, kLine);
      turn_square_of_8(codes + 8 * stride, stride, to + kLine / 2, kLine);
      return;
    }
    for (int64_t r = 0; r < kLanes; r += 4) {
      Words4 quads[8];
      load_turned<uint32_t>(codes + stride * r, stride, quads);
      load_turned<uint32_t>(codes + stride * r + 16, stride, quads + 4);
      put_codes<kBits>(quads, to + 4 * r);
    }
  }

  /// 16 scales, then 16 offsets, of group or super-block `index`.
  uint8_t* pack_scales(int64_t index, uint8_t* to) {
    to = scales_.put(index, to);
    return format_.offset ? offsets_.put(index, to) : to;
  }

  uint8_t* pack_sub_scales(const KRun& run, uint8_t* to) {
    return format_.group == 16 && format_.bits < 4 ? pack_pairs(run, to) : pack_bytes(run, to);
  }

  /// 16 bytes of sub-scales per sub-group of the block, then 16 of sub-minimums.
  uint8_t* pack_bytes(const KRun& run, uint8_t* to) {
    for (int begin = 0; begin < kBlock; begin += format_.group) {
      if (begin < run.length) {
        to = sub_scales_.put(group_of(run.k_begin + begin), to);
      } else {
        std::memset(to, 0, kLanes);
        to += kLanes;
      }
    }
    return format_.offset ? sub_offsets_.put(group_of(run.k_begin), to) : to;
  }

  /// Two bytes per row, one for each sub-group: sub-scale, and sub-minimum in the upper four bits.
  uint8_t* pack_pairs(const KRun& run, uint8_t* to) {
    Bytes16 halves[2] = {};
    for (int half = 0; half < 2 && 16 * half < run.length; ++half) {
      const int64_t group = group_of(run.k_begin + 16 * half);
      std::memcpy(&halves[half], sub_scales_.at(group), sizeof(Bytes16));
      if (!format_.offset) continue;
      Bytes16 offsets;
      std::memcpy(&offsets, sub_offsets_.at(group), sizeof offsets);
      halves[half] |= offsets << 4;
    }
    const Bytes16 pairs[2] = {first_in_turns(halves[0], halves[1]),
                              second_in_turns(halves[0], halves[1])};
    std::memcpy(to, pairs, sizeof pairs);
    return to + sizeof pairs;
  }

  const GroupedRows& rows_;
  const GroupedFormat format_;
  const bool once_;  // scales stand once per segment
  const int64_t first_;
  const int64_t count_;
  const int group_shift_;
  const int super_shift_;
  Columns scales_, offsets_;
  Columns sub_scales_, sub_offsets_;
};

}  // namespace

void pack_grouped_panel(const GroupedRows& rows, int64_t first, const KPlan& plan, uint8_t* panel) {
  PanelPacker packer(rows, first);
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
  const Turn<uint32_t> lines{reinterpret_cast<const std::byte*>(rows), 4 * k,
                             reinterpret_cast<std::byte*>(panel), kLine};
  lines.run(count, k);
}

void pack_pair_panels(const uint16_t* rows, int64_t count, const KPlan& plan, uint32_t* panels) {
  constexpr int64_t kStride = 4 * kLanes;  // u32 from one line of a panel to its next
  int64_t begin = 0;
  for (const int64_t leaf_end : plan.leaf_ends()) {
    const int64_t pairs = (leaf_end - begin) / 2;
    const Turn<uint32_t> lines{reinterpret_cast<const std::byte*>(rows + begin), 2 * plan.k(),
                               reinterpret_cast<std::byte*>(panels), 4 * kStride};
    lines.run(count, pairs);
    panels += pairs * kStride;
    if ((leaf_end - begin) % 2 != 0) {  // half a line: the odd element alone
      for (int64_t r = 0; r < count; ++r) panels[r] = rows[r * plan.k() + leaf_end - 1];
      panels += kStride;
    }
    begin = leaf_end;
  }
}

}  // namespace colonnade
