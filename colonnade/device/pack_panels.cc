#include "colonnade/device/pack_panels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/turn_square.h"
#include "colonnade/device/panel_codes.h"
#include "colonnade/device/turned_columns.h"
#include "colonnade/kernels/views.h"

namespace colonnade {
namespace {

using kernels::kBlock;
using kernels::kLanes;
using panel_codes::kLine;

int shift_of(int size) {
  CN_ASSERT(std::has_single_bit(static_cast<unsigned>(size)), "group of ", size);
  return std::countr_zero(static_cast<unsigned>(size));
}

/// 16 rows of 32 numbers of 8 bits: pairs along K stand together. `stride` bytes from row to row.
void put_floats(const uint8_t* rows, int64_t stride, uint8_t* to) {
  for (int64_t r = 0; r < kLanes; ++r) {
    const uint8_t* row = rows + stride * r;
    for (int i = 0; i < kBlock / 2; ++i) {
      std::memcpy(to + 2 * (kLanes * i + r), row + 2 * i, 2);
    }
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
        group_shift_(shift_of(format_.group)),
        super_shift_(format_.super == 0 ? 0 : shift_of(format_.super)),
        raw_shift_(rows.raw.data == nullptr ? 0 : shift_of(rows.raw.block_codes)),
        scales_(columns_of(rows.scales, scales_per_row(), scale_bytes(format_.scales))),
        offsets_(columns_of(rows.offsets, scales_per_row(), scale_bytes(format_.scales))),
        sub_scales_(columns_of(rows.sub_scales, rows.groups(), 1)),
        sub_offsets_(columns_of(rows.sub_offsets, rows.groups(), 1)) {}

  template <int kBits>
  void pack(const KPlan& plan, uint8_t* to) {
    constexpr int64_t kCodeBytes = kBits * kBlock * kLanes / 8;
    auto run = plan.runs().begin();
    for (const KSegment& segment : plan.segments()) {
      const KRun& first_run = *run;
      for (int32_t b = 0; b < segment.blocks; ++b, ++run) {
        for (int64_t line = 0; line <= kCodeBytes; line += kLine) prefetch_to_write(to + line);
        pack_codes<kBits>(*run, to);
        to += kCodeBytes;
        if (!once_) to = pack_block_scales(*run, to);
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
  void pack_codes(const KRun& run, uint8_t* to) {
    if constexpr (kBits == 8 || kBits == 4) {
      if (rows_.raw.data != nullptr) return pack_raw<kBits>(run.k_begin, to);
    }
    const uint8_t* codes = rows_.codes.data() + first_ * rows_.cols + run.k_begin;
    const Stride from = padded(codes, rows_.cols, run.length, format_.zero);
    put_rows<kBits>(from.data, from.stride, to);
  }

  /// 16 rows, so many bytes from one to the next.
  struct Stride {
    const uint8_t* data;
    int64_t stride;
  };
  /// The rows where they are, if there are 16 of kBlock bytes; else a copy in which `fill` stands
  /// for what is missing.
  Stride padded(const uint8_t* from, int64_t stride, int64_t length, int fill) {
    if (count_ == kLanes && length == kBlock) return {from, stride};
    std::memset(padded_, fill, sizeof padded_);
    for (int64_t r = 0; r < count_; ++r) {
      std::memcpy(padded_ + kBlock * r, from + stride * r, static_cast<size_t>(length));
    }
    return {padded_, kBlock};
  }

  /// The codes of a block: 16 rows, `stride` bytes from one to the next.
  template <int kBits>
  void put_rows(const uint8_t* codes, int64_t stride, uint8_t* to) const {
    if (format_.floats) return put_floats(codes, stride, to);
    if constexpr (kBits == 8) {  // as they are
      turn_square_of_8(codes, stride, to, kLine);
      turn_square_of_8(codes + 8 * stride, stride, to + kLine / 2, kLine);
    } else {
      for (int64_t r = 0; r < kLanes; r += 4) {
        Words4 quads[8];
        load_turned<uint32_t>(codes + stride * r, stride, quads);
        load_turned<uint32_t>(codes + stride * r + 16, stride, quads + 4);
        panel_codes::put_codes<kBits>(quads, to + 4 * r);
      }
    }
  }

  /// The same of codes as a file has them.
  template <int kBits>
  void pack_raw(int64_t k, uint8_t* to) {
    const RawCodes& raw = rows_.raw;
    const int64_t in_block = k & (raw.block_codes - 1);
    const uint8_t* from =
        raw.data + first_ * raw.row_bytes + raw.codes_at + (k >> raw_shift_) * raw.block_bytes;
    if constexpr (kBits == 8) {
      const Stride rows = padded(from + in_block, raw.row_bytes, kBlock, format_.zero ^ 0x80);
      panel_codes::put_flipped(rows.data, rows.stride, to);
      panel_codes::put_flipped(rows.data + 8 * rows.stride, rows.stride, to + kLine / 2);
    } else if (raw.order == CodeOrder::halves_32) {
      put_halves_32(from + in_block / 2, to);
    } else {
      put_half_of_64(from + in_block / 64 * kBlock, in_block / kBlock % 2 != 0, to);
    }
  }
  void put_halves_32(const uint8_t* from, uint8_t* to) {
    const Stride rows = padded_raw(from, kBlock / 2);
    for (int64_t r = 0; r < kLanes; r += 4) {
      Words4 quads[4];
      load_turned<uint32_t>(rows.data + rows.stride * r, rows.stride, quads);
      panel_codes::put_halves_32(quads, to + 4 * r);
    }
  }
  void put_half_of_64(const uint8_t* from, bool upper, uint8_t* to) {
    const Stride rows = padded_raw(from, kBlock);
    constexpr std::make_index_sequence<4> kLines;
    for (int64_t r = 0; r < kLanes; r += 4) {
      Words4 quads[8];
      load_turned<uint32_t>(rows.data + rows.stride * r, rows.stride, quads);
      load_turned<uint32_t>(rows.data + rows.stride * r + 16, rows.stride, quads + 4);
      if (upper) {
        panel_codes::put_upper_nibbles(quads, to + 4 * r, kLines);
      } else {
        panel_codes::put_nibbles(quads, to + 4 * r, kLines);
      }
    }
  }
  /// Rows of `bytes` bytes of two codes each.
  Stride padded_raw(const uint8_t* from, int64_t bytes) {
    if (count_ == kLanes) return {from, rows_.raw.row_bytes};
    return padded(from, rows_.raw.row_bytes, bytes, format_.zero | format_.zero << 4);
  }

  /// Those of each group of a block; zero for a second one that a short run does not reach.
  uint8_t* pack_block_scales(const KRun& run, uint8_t* to) {
    for (int begin = 0; begin < kBlock; begin += format_.group) {
      if (begin < run.length) {
        to = pack_scales(group_of(run.k_begin + begin), to);
      } else {
        const int64_t bytes = kLanes * scale_bytes(format_.scales);
        std::memset(to, 0, static_cast<size_t>(bytes));
        to += bytes;
      }
    }
    return to;
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
  const int raw_shift_;
  Columns scales_, offsets_;
  Columns sub_scales_, sub_offsets_;
  uint8_t padded_[kLanes * kBlock];
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
