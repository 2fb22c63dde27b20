#include "colonnade/io/ggml_blocks.h"

#include <algorithm>
#include <cstring>

#include "colonnade/base/error.h"
#include "colonnade/io/ggml_bits.h"

namespace colonnade {
namespace {

using ggml_bits::add_fifth_bits;
using ggml_bits::bits_of;
using ggml_bits::for_each_of;
using ggml_bits::load_words;
using ggml_bits::split_nibbles;
using ggml_bits::split_pairs;
using ggml_bits::store_words;
using ggml_bits::SubScales;
using ggml_bits::unpack_signed_sub_scales;
using ggml_bits::unpack_sub_scales;

uint16_t load_u16(const uint8_t* bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Each type: a block is `elements` codes in `bytes` bytes with `groups` sub-scales (1: none). One
// whose codes a packer can take as they are says where they begin and in which order they stand.

struct Q4_0 {
  static constexpr WeightFormat format = WeightFormat::q4_0;
  static constexpr int elements = 32, bytes = 18, groups = 1;
  static constexpr int scale_at = 0, offset_at = -1;
  static constexpr int codes_at = 2;
  static constexpr CodeOrder order = CodeOrder::halves_32;
  static void codes(const uint8_t* in, uint8_t* out) { split_nibbles<16>(in + 2, out); }
};

struct Q4_1 {
  static constexpr WeightFormat format = WeightFormat::q4_1;
  static constexpr int elements = 32, bytes = 20, groups = 1;
  static constexpr int scale_at = 0, offset_at = 2;
  static constexpr int codes_at = 4;
  static constexpr CodeOrder order = CodeOrder::halves_32;
  static void codes(const uint8_t* in, uint8_t* out) { split_nibbles<16>(in + 4, out); }
};

struct Q5_0 {
  static constexpr WeightFormat format = WeightFormat::q5_0;
  static constexpr int elements = 32, bytes = 22, groups = 1;
  static constexpr int scale_at = 0, offset_at = -1;
  static void codes(const uint8_t* in, uint8_t* out) {
    split_nibbles<16>(in + 6, out);
    add_fifth_bits(in + 2, out);
  }
};

struct Q5_1 {
  static constexpr WeightFormat format = WeightFormat::q5_1;
  static constexpr int elements = 32, bytes = 24, groups = 1;
  static constexpr int scale_at = 0, offset_at = 2;
  static void codes(const uint8_t* in, uint8_t* out) {
    split_nibbles<16>(in + 8, out);
    add_fifth_bits(in + 4, out);
  }
};

struct Q8_0 {
  static constexpr WeightFormat format = WeightFormat::q8_0;
  static constexpr int elements = 32, bytes = 34, groups = 1;
  static constexpr int scale_at = 0, offset_at = -1;
  static constexpr int codes_at = 2;
  static constexpr CodeOrder order = CodeOrder::flipped;
  static void codes(const uint8_t* __restrict in, uint8_t* __restrict out) {
    for (int i = 0; i < 32; ++i) out[i] = in[2 + i] ^ 0x80;
  }
};

struct IQ4_NL {
  static constexpr WeightFormat format = WeightFormat::iq4_nl;
  static constexpr int elements = 32, bytes = 18, groups = 1;
  static constexpr int scale_at = 0, offset_at = -1;
  static constexpr int codes_at = 2;
  static constexpr CodeOrder order = CodeOrder::halves_32;
  static void codes(const uint8_t* in, uint8_t* out) { split_nibbles<16>(in + 2, out); }
};

struct MXFP4 {
  static constexpr WeightFormat format = WeightFormat::mxfp4;
  static constexpr int elements = 32, bytes = 17, groups = 1;
  static constexpr int scale_at = 0, offset_at = -1;
  static constexpr int codes_at = 1;
  static constexpr CodeOrder order = CodeOrder::halves_32;
  static void codes(const uint8_t* in, uint8_t* out) { split_nibbles<16>(in + 1, out); }
};

struct Q2_K {
  static constexpr WeightFormat format = WeightFormat::q2_k;
  static constexpr int elements = 256, bytes = 84, groups = 16;
  static constexpr int scale_at = 80, offset_at = 82;
  static void codes(const uint8_t* in, uint8_t* out) { split_pairs(in + 16, out); }
  static SubScales sub_scales(const uint8_t* in) {
    SubScales out;
    for (int j = 0; j < 16; ++j) out.scales[j] = static_cast<int8_t>(in[j] & 15);
    for (int j = 0; j < 16; ++j) out.offsets[j] = in[j] >> 4;
    return out;
  }
};

struct Q3_K {
  static constexpr WeightFormat format = WeightFormat::q3_k;
  static constexpr int elements = 256, bytes = 110, groups = 16;
  static constexpr int scale_at = 108, offset_at = -1;
  static void codes(const uint8_t* __restrict in, uint8_t* __restrict out) {
    split_pairs(in + 32, in, out);
  }
  static SubScales sub_scales(const uint8_t* in) { return unpack_signed_sub_scales(in + 96); }
};

struct Q4_K {
  static constexpr WeightFormat format = WeightFormat::q4_k;
  static constexpr int elements = 256, bytes = 144, groups = 8;
  static constexpr int scale_at = 0, offset_at = 2;
  static constexpr int codes_at = 16;
  static constexpr CodeOrder order = CodeOrder::halves_64;
  static void codes(const uint8_t* in, uint8_t* out) {
    for (int i = 0; i < 4; ++i) split_nibbles<32>(in + 16 + 32 * i, out + 64 * i);
  }
  static SubScales sub_scales(const uint8_t* in) { return unpack_sub_scales(in + 4); }
};

struct Q5_K {
  static constexpr WeightFormat format = WeightFormat::q5_k;
  static constexpr int elements = 256, bytes = 176, groups = 8;
  static constexpr int scale_at = 0, offset_at = 2;
  static void codes(const uint8_t* in, uint8_t* out) {
    // [32]: bit g of a byte belongs to group g of 32.
    const Words4 fifth[2] = {load_words(in + 16), load_words(in + 32)};
    for_each_of<16>([&](auto n) {
      constexpr int g = n / 2, half = n % 2;
      const Words4 nibbles = bits_of<4>(load_words(in + 48 + g / 2 * 32 + 16 * half), g % 2 * 4);
      store_words(out + 16 * n, nibbles | bits_of<1>(fifth[half], g) << 4);
    });
  }
  static SubScales sub_scales(const uint8_t* in) { return unpack_sub_scales(in + 4); }
};

struct Q6_K {
  static constexpr WeightFormat format = WeightFormat::q6_k;
  static constexpr int elements = 256, bytes = 210, groups = 16;
  static constexpr int scale_at = 208, offset_at = -1;
  static void codes(const uint8_t* in, uint8_t* out) {
    for (int part = 0; part < 2; ++part, in += 64, out += 128) {
      // [32]: bits 2g, 2g + 1 of a byte belong to quarter g of 32.
      const uint8_t* upper = in + 128 - 32 * part;
      const Words4 high[2] = {load_words(upper), load_words(upper + 16)};
      for_each_of<8>([&](auto n) {
        constexpr int g = n / 2, half = n % 2;
        const Words4 nibbles = bits_of<4>(load_words(in + g % 2 * 32 + 16 * half), g / 2 * 4);
        store_words(out + 16 * n, nibbles | bits_of<2>(high[half], 2 * g) << 4);
      });
    }
  }
  static SubScales sub_scales(const uint8_t* in) {
    SubScales out;
    std::memcpy(out.scales, in + 192, sizeof out.scales);
    return out;
  }
};

struct IQ4_XS {
  static constexpr WeightFormat format = WeightFormat::iq4_xs;
  static constexpr int elements = 256, bytes = 136, groups = 8;
  static constexpr int scale_at = 0, offset_at = -1;
  static constexpr int codes_at = 8;
  static constexpr CodeOrder order = CodeOrder::halves_32;
  static void codes(const uint8_t* in, uint8_t* out) {
    for (int g = 0; g < 8; ++g) split_nibbles<16>(in + 8 + 16 * g, out + 32 * g);
  }
  /// 6 bits, less 32: the upper two of all in 16 bits, the lower four behind them.
  static SubScales sub_scales(const uint8_t* in) {
    const int high = load_u16(in + 2);
    SubScales out;
    for (int g = 0; g < 8; ++g) {
      const int low = in[4 + g / 2] >> (4 * (g % 2)) & 15;
      out.scales[g] = static_cast<int8_t>((low | (high >> (2 * g) & 3) << 4) - 32);
    }
    return out;
  }
};

struct Q8_K {
  static constexpr WeightFormat format = WeightFormat::q8_k;
  static constexpr int elements = 256, bytes = 292, groups = 1;
  static constexpr int scale_at = 0, offset_at = -1;
  static constexpr int codes_at = 4;
  static constexpr CodeOrder order = CodeOrder::flipped;
  static void codes(const uint8_t* __restrict in, uint8_t* __restrict out) {
    for (int i = 0; i < 256; ++i) out[i] = in[4 + i] ^ 0x80;
  }
};

/// f(Block) for the blocks of a grouped type.
template <typename F>
void with_blocks(GgmlType type, const F& f) {
  switch (type) {
    case GgmlType::q4_0:
      return f(Q4_0{});
    case GgmlType::q4_1:
      return f(Q4_1{});
    case GgmlType::q5_0:
      return f(Q5_0{});
    case GgmlType::q5_1:
      return f(Q5_1{});
    case GgmlType::q8_0:
      return f(Q8_0{});
    case GgmlType::iq4_nl:
      return f(IQ4_NL{});
    case GgmlType::mxfp4:
      return f(MXFP4{});
    case GgmlType::q2_k:
      return f(Q2_K{});
    case GgmlType::q3_k:
      return f(Q3_K{});
    case GgmlType::q4_k:
      return f(Q4_K{});
    case GgmlType::q5_k:
      return f(Q5_K{});
    case GgmlType::q6_k:
      return f(Q6_K{});
    case GgmlType::iq4_xs:
      return f(IQ4_XS{});
    case GgmlType::q8_k:
      return f(Q8_K{});
    case GgmlType::f32:
    case GgmlType::f16:
    case GgmlType::bf16:
      break;
  }
  CN_ASSERT(false, name_of(type), " is not a grouped type");
}

/// Where the slice lies in the blocks of a row, and where its groups go: the same for every row.
template <typename Block>
struct Layout {
  explicit Layout(const GroupedRows& out)
      : format(grouped_format(out.format)),
        cols{out.begin, out.begin + out.cols},
        blocks{cols.begin / Block::elements, (cols.end + Block::elements - 1) / Block::elements},
        whole{(cols.begin + Block::elements - 1) / Block::elements, cols.end / Block::elements},
        groups{cols.begin / format.group, cols.begin / format.group + out.groups()} {}

  GroupedFormat format;
  Range cols;
  Range blocks;
  Range whole;  // of them, those that the slice does not cut
  Range groups;
};

/// Those codes of a block that the slice has: it may be cut.
template <typename Block>
uint8_t* decode_part(const Layout<Block>& layout, int64_t block, const uint8_t* in,
                     uint8_t* codes) {
  const int64_t block_begin = block * Block::elements;
  const int64_t begin = std::max(layout.cols.begin, block_begin);
  const int64_t end = std::min(layout.cols.end, block_begin + Block::elements);
  uint8_t whole[Block::elements];
  Block::codes(in, whole);
  return std::copy(whole + (begin - block_begin), whole + (end - block_begin), codes);
}

/// The codes of one row. The first and the last block may be cut by the slice.
template <typename Block>
void decode_codes(const Layout<Block>& layout, const uint8_t* in, uint8_t* codes) {
  const auto part = [&](int64_t block) {
    return in + (block - layout.blocks.begin) * Block::bytes;
  };
  int64_t block = layout.blocks.begin;
  if (block < layout.whole.begin) codes = decode_part(layout, block, part(block), codes);
  for (block = layout.whole.begin; block < layout.whole.end; ++block) {
    Block::codes(part(block), codes);
    codes += Block::elements;
  }
  if (block < layout.blocks.end) decode_part(layout, block, part(block), codes);
}

/// The scales of one row go to row `row` of `out`.
template <typename Block>
void decode_scales(const Layout<Block>& layout, const uint8_t* in, int64_t row, GroupedRows& out) {
  constexpr int kBytes = scale_bytes(grouped_format(Block::format).scales);
  const int64_t first = row * layout.blocks.size() * kBytes;
  uint8_t* scales = out.scales.data() + first;
  uint8_t* offsets = Block::offset_at >= 0 ? out.offsets.data() + first : nullptr;
  for (int64_t block = 0; block < layout.blocks.size(); ++block) {
    const uint8_t* bytes = in + block * Block::bytes;
    std::memcpy(scales + block * kBytes, bytes + Block::scale_at, kBytes);
    if constexpr (Block::offset_at >= 0) {
      std::memcpy(offsets + block * kBytes, bytes + Block::offset_at, kBytes);
    }
  }
}

/// Likewise the sub-scales of two levels. Only those of groups that the slice touches are kept.
template <typename Block>
void decode_sub_scales(const Layout<Block>& layout, const uint8_t* in, int64_t row,
                       GroupedRows& out) {
  constexpr int64_t kGroups = Block::groups;
  const int64_t first = row * layout.groups.size() - layout.groups.begin;
  for (int64_t block = layout.blocks.begin; block < layout.blocks.end;
       ++block, in += Block::bytes) {
    const SubScales sub = Block::sub_scales(in);
    const int64_t begin = std::max(layout.groups.begin, block * kGroups);
    const int64_t end = std::min(layout.groups.end, (block + 1) * kGroups);
    if (end - begin == kGroups) {  // a size that the compiler knows
      std::memcpy(out.sub_scales.data() + first + begin, sub.scales, kGroups);
      if constexpr (Block::offset_at >= 0) {
        std::memcpy(out.sub_offsets.data() + first + begin, sub.offsets, kGroups);
      }
      continue;
    }
    const int64_t skip = begin - block * kGroups;
    std::copy_n(sub.scales + skip, end - begin, out.sub_scales.data() + first + begin);
    if constexpr (Block::offset_at >= 0) {
      std::copy_n(sub.offsets + skip, end - begin, out.sub_offsets.data() + first + begin);
    }
  }
}

/// All but the codes of rows.
template <typename Block>
void decode_rest(const Layout<Block>& layout, const uint8_t* in, Range rows, GroupedRows& out) {
  for (int64_t row = rows.begin; row < rows.end; ++row, in += layout.blocks.size() * Block::bytes) {
    decode_scales(layout, in, row, out);
    if constexpr (Block::groups > 1) decode_sub_scales(layout, in, row, out);
  }
}

template <typename Block>
void decode_blocks(const std::byte* raw, Range rows, GroupedRows& out) {
  const Layout<Block> layout(out);
  const auto* in = reinterpret_cast<const uint8_t*>(raw);
  for (int64_t row = rows.begin; row < rows.end; ++row, in += layout.blocks.size() * Block::bytes) {
    decode_codes(layout, in, out.codes.data() + row * out.cols);
    decode_rest(layout, in, {row, row + 1}, out);
  }
}

template <typename Block>
constexpr bool kHasOrder = requires {
  Block::order;
};

}  // namespace

WeightFormat weight_format(GgmlType type) {
  if (type == GgmlType::f32) return WeightFormat::f32;
  if (type == GgmlType::f16) return WeightFormat::f16;
  if (type == GgmlType::bf16) return WeightFormat::bf16;
  WeightFormat format{};
  with_blocks(type, [&](auto block) { format = decltype(block)::format; });
  return format;
}

std::optional<GgmlType> dense_ggml_type(WeightFormat format) {
  for (const GgmlType type : {GgmlType::f32, GgmlType::f16, GgmlType::bf16}) {
    if (weight_format(type) == format) return type;
  }
  return std::nullopt;
}

Range blocks_of(GgmlType type, Range cols) {
  const int64_t elements = info_of(type).block_elements;
  return {cols.begin / elements, (cols.end + elements - 1) / elements};
}

void decode_rows(GgmlType type, const std::byte* raw, Range rows, GroupedRows& out) {
  CN_ASSERT(out.format == weight_format(type) && rows.begin >= 0 && rows.begin <= rows.end &&
                rows.end <= out.rows,
            "decode_rows: ", name_of(type), " into ", name_of(out.format), ", rows ", rows.begin,
            " to ", rows.end, " of ", out.rows);
  if (out.cols == 0) return;
  with_blocks(type, [&](auto block) { decode_blocks<decltype(block)>(raw, rows, out); });
}

bool has_raw_codes(GgmlType type, Range cols) {
  bool has = false;
  with_blocks(type, [&](auto block) {
    has = kHasOrder<decltype(block)> && cols.begin % decltype(block)::elements == 0;
  });
  return has;
}

void decode_around_codes(GgmlType type, GroupedRows& out) {
  with_blocks(type, [&](auto block) {
    using Block = decltype(block);
    if constexpr (kHasOrder<Block>) {
      const Layout<Block> layout(out);
      const int64_t row_bytes = layout.blocks.size() * Block::bytes;
      CN_ASSERT(static_cast<int64_t>(out.raw_bytes.size()) >= out.rows * row_bytes &&
                    layout.cols.begin % Block::elements == 0,
                name_of(type), ": ", out.raw_bytes.size(), " bytes of ", out.rows, " rows");
      decode_rest(layout, out.raw_bytes.data(), {0, out.rows}, out);
      out.raw = {.order = Block::order,
                 .block_codes = Block::elements,
                 .block_bytes = Block::bytes,
                 .codes_at = Block::codes_at,
                 .row_bytes = row_bytes,
                 .data = out.raw_bytes.data()};
    } else {
      CN_ASSERT(false, name_of(type), " has no codes that are left as they are");
    }
  });
}

}  // namespace colonnade
