#include "colonnade/io/ggml_blocks.h"

#include <algorithm>
#include <cstring>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

uint16_t load_u16(const uint8_t* bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// codes[i] = low nibble of in[i], codes[n + i] = its high nibble. n is a multiple of 16: plain
/// loops that gcc turns into vectors because their length is known.
template <int n>
void split_nibbles(const uint8_t* __restrict in, uint8_t* __restrict codes) {
  for (int i = 0; i < n; ++i) codes[i] = in[i] & 15;
  for (int i = 0; i < n; ++i) codes[n + i] = in[i] >> 4;
}

/// codes[i] += 16 where bit i of the 32 bits at `bits` is set.
void add_fifth_bits(const uint8_t* bits, uint8_t* codes) {
  for (int i = 0; i < 4; ++i) {
    // The byte eight times, bit j kept in byte j; + 0x7f carries any set bit to bit 7, which then
    // becomes bit 4.
    const uint64_t spread = (bits[i] * 0x0101010101010101u) & 0x8040201008040201u;
    const uint64_t fifth = ((spread + 0x7f7f7f7f7f7f7f7fu) & 0x8080808080808080u) >> 3;
    uint64_t eight;
    std::memcpy(&eight, codes + 8 * i, sizeof eight);
    eight |= fifth;
    std::memcpy(codes + 8 * i, &eight, sizeof eight);
  }
}

/// The second level of a block.
struct SubScales {
  int8_t scales[16];
  uint8_t offsets[16];
};

/// Eight 6-bit sub-scales and eight 6-bit sub-minimums in 12 bytes: byte j holds scale j, byte 4 +
/// j minimum j (j < 4) in its lower six bits; byte 8 + j holds the lower halves of scale and
/// minimum 4 + j, whose upper two bits are the upper two bits of bytes j and 4 + j.
SubScales unpack_sub_scales(const uint8_t* in) {
  SubScales out;
  for (int j = 0; j < 4; ++j) {
    out.scales[j] = static_cast<int8_t>(in[j] & 63);
    out.offsets[j] = in[4 + j] & 63;
    out.scales[4 + j] = static_cast<int8_t>((in[8 + j] & 15) | ((in[j] >> 6) << 4));
    out.offsets[4 + j] = static_cast<uint8_t>((in[8 + j] >> 4) | ((in[4 + j] >> 6) << 4));
  }
  return out;
}

// Each type: a block is `elements` codes in `bytes` bytes with `groups` sub-scales (1: none).

struct Q4_0 {
  static constexpr int elements = 32, bytes = 18, groups = 1;
  static constexpr bool has_offset = false;
  static void codes(const uint8_t* in, uint8_t* out) { split_nibbles<16>(in + 2, out); }
  static uint16_t scale(const uint8_t* in) { return load_u16(in); }
};

struct Q4_1 {
  static constexpr int elements = 32, bytes = 20, groups = 1;
  static constexpr bool has_offset = true;
  static void codes(const uint8_t* in, uint8_t* out) { split_nibbles<16>(in + 4, out); }
  static uint16_t scale(const uint8_t* in) { return load_u16(in); }
  static uint16_t offset(const uint8_t* in) { return load_u16(in + 2); }
};

struct Q5_0 {
  static constexpr int elements = 32, bytes = 22, groups = 1;
  static constexpr bool has_offset = false;
  static void codes(const uint8_t* in, uint8_t* out) {
    split_nibbles<16>(in + 6, out);
    add_fifth_bits(in + 2, out);
  }
  static uint16_t scale(const uint8_t* in) { return load_u16(in); }
};

struct Q5_1 {
  static constexpr int elements = 32, bytes = 24, groups = 1;
  static constexpr bool has_offset = true;
  static void codes(const uint8_t* in, uint8_t* out) {
    split_nibbles<16>(in + 8, out);
    add_fifth_bits(in + 4, out);
  }
  static uint16_t scale(const uint8_t* in) { return load_u16(in); }
  static uint16_t offset(const uint8_t* in) { return load_u16(in + 2); }
};

struct Q8_0 {
  static constexpr int elements = 32, bytes = 34, groups = 1;
  static constexpr bool has_offset = false;
  static void codes(const uint8_t* __restrict in, uint8_t* __restrict out) {
    for (int i = 0; i < 32; ++i) out[i] = in[2 + i] ^ 0x80;
  }
  static uint16_t scale(const uint8_t* in) { return load_u16(in); }
};

struct Q4_K {
  static constexpr int elements = 256, bytes = 144, groups = 8;
  static constexpr bool has_offset = true;
  static void codes(const uint8_t* in, uint8_t* out) {
    for (int i = 0; i < 4; ++i) split_nibbles<32>(in + 16 + 32 * i, out + 64 * i);
  }
  static uint16_t scale(const uint8_t* in) { return load_u16(in); }
  static uint16_t offset(const uint8_t* in) { return load_u16(in + 2); }
  static SubScales sub_scales(const uint8_t* in) { return unpack_sub_scales(in + 4); }
};

struct Q5_K {
  static constexpr int elements = 256, bytes = 176, groups = 8;
  static constexpr bool has_offset = true;
  static void codes(const uint8_t* __restrict in, uint8_t* __restrict out) {
    const uint8_t* fifth = in + 16;  // [32]: bit g of byte i belongs to element i of group g
    for (int i = 0; i < 4; ++i) split_nibbles<32>(in + 48 + 32 * i, out + 64 * i);
    for (int g = 0; g < 8; ++g) {
      for (int i = 0; i < 32; ++i)
        out[32 * g + i] |= static_cast<uint8_t>(((fifth[i] >> g) & 1) << 4);
    }
  }
  static uint16_t scale(const uint8_t* in) { return load_u16(in); }
  static uint16_t offset(const uint8_t* in) { return load_u16(in + 2); }
  static SubScales sub_scales(const uint8_t* in) { return unpack_sub_scales(in + 4); }
};

struct Q6_K {
  static constexpr int elements = 256, bytes = 210, groups = 16;
  static constexpr bool has_offset = false;
  static void codes(const uint8_t* __restrict in, uint8_t* __restrict out) {
    for (int half = 0; half < 2; ++half) {
      const uint8_t* high =
          in + 128 + 32 * half;  // [32]: bits 2g, 2g + 1 of byte i belong to element i of quarter g
      uint8_t* quarters = out + 128 * half;  // [4, 32]
      split_nibbles<64>(in + 64 * half, quarters);
      for (int g = 0; g < 4; ++g) {
        for (int i = 0; i < 32; ++i)
          quarters[32 * g + i] |= static_cast<uint8_t>(((high[i] >> (2 * g)) & 3) << 4);
      }
    }
  }
  static uint16_t scale(const uint8_t* in) { return load_u16(in + 208); }
  static SubScales sub_scales(const uint8_t* in) {
    SubScales out;
    std::memcpy(out.scales, in + 192, sizeof out.scales);
    return out;
  }
};

/// Where the slice lies in the blocks of a row, and where its groups go: the same for every row.
template <typename Block>
struct Layout {
  explicit Layout(const GroupedRows& out)
      : format(grouped_format(out.format)),
        cols{out.begin, out.begin + out.cols},
        blocks{cols.begin / Block::elements, (cols.end + Block::elements - 1) / Block::elements},
        groups{cols.begin / format.group, cols.begin / format.group + out.groups()} {}

  GroupedFormat format;
  Range cols;
  Range blocks;
  Range groups;
};

/// The codes of one row. The first and the last block may be cut by the slice.
template <typename Block>
void decode_codes(const Layout<Block>& layout, const uint8_t* in, uint8_t* codes) {
  for (int64_t block = layout.blocks.begin; block < layout.blocks.end;
       ++block, in += Block::bytes) {
    const int64_t block_begin = block * Block::elements;
    const int64_t begin = std::max(layout.cols.begin, block_begin);
    const int64_t end = std::min(layout.cols.end, block_begin + Block::elements);
    if (end - begin == Block::elements) {
      Block::codes(in, codes);
    } else {
      uint8_t whole[Block::elements];
      Block::codes(in, whole);
      std::copy(whole + (begin - block_begin), whole + (end - block_begin), codes);
    }
    codes += end - begin;
  }
}

/// The scales of one row go to row `row` of `out`.
template <typename Block>
void decode_scales(const Layout<Block>& layout, const uint8_t* in, int64_t row, GroupedRows& out) {
  uint16_t* scales = out.scales.data() + row * layout.blocks.size();
  uint16_t* offsets =
      layout.format.offset ? out.offsets.data() + row * layout.blocks.size() : nullptr;
  for (int64_t block = 0; block < layout.blocks.size(); ++block) {
    const uint8_t* bytes = in + block * Block::bytes;
    scales[block] = Block::scale(bytes);
    if constexpr (Block::has_offset) offsets[block] = Block::offset(bytes);
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
    const int64_t skip = begin - block * kGroups;
    std::copy_n(sub.scales + skip, end - begin, out.sub_scales.data() + first + begin);
    if constexpr (Block::has_offset) {
      std::copy_n(sub.offsets + skip, end - begin, out.sub_offsets.data() + first + begin);
    }
  }
}

template <typename Block>
void decode_blocks(const std::byte* raw, Range rows, GroupedRows& out) {
  const Layout<Block> layout(out);
  const auto* in = reinterpret_cast<const uint8_t*>(raw);
  for (int64_t row = rows.begin; row < rows.end; ++row, in += layout.blocks.size() * Block::bytes) {
    decode_codes(layout, in, out.codes.data() + row * out.cols);
    decode_scales(layout, in, row, out);
    if constexpr (Block::groups > 1) decode_sub_scales(layout, in, row, out);
  }
}

}  // namespace

WeightFormat weight_format(GgmlType type) {
  switch (type) {
    case GgmlType::f32:
      return WeightFormat::f32;
    case GgmlType::f16:
      return WeightFormat::f16;
    case GgmlType::bf16:
      return WeightFormat::bf16;
    case GgmlType::q4_0:
      return WeightFormat::q4_0;
    case GgmlType::q4_1:
      return WeightFormat::q4_1;
    case GgmlType::q5_0:
      return WeightFormat::q5_0;
    case GgmlType::q5_1:
      return WeightFormat::q5_1;
    case GgmlType::q8_0:
      return WeightFormat::q8_0;
    case GgmlType::q4_k:
      return WeightFormat::q4_k;
    case GgmlType::q5_k:
      return WeightFormat::q5_k;
    case GgmlType::q6_k:
      return WeightFormat::q6_k;
  }
  CN_ASSERT(false, "ggml type ", static_cast<uint32_t>(type));
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
  switch (type) {
    case GgmlType::q4_0:
      return decode_blocks<Q4_0>(raw, rows, out);
    case GgmlType::q4_1:
      return decode_blocks<Q4_1>(raw, rows, out);
    case GgmlType::q5_0:
      return decode_blocks<Q5_0>(raw, rows, out);
    case GgmlType::q5_1:
      return decode_blocks<Q5_1>(raw, rows, out);
    case GgmlType::q8_0:
      return decode_blocks<Q8_0>(raw, rows, out);
    case GgmlType::q4_k:
      return decode_blocks<Q4_K>(raw, rows, out);
    case GgmlType::q5_k:
      return decode_blocks<Q5_K>(raw, rows, out);
    case GgmlType::q6_k:
      return decode_blocks<Q6_K>(raw, rows, out);
    case GgmlType::f32:
    case GgmlType::f16:
    case GgmlType::bf16:
      break;
  }
  CN_ASSERT(false, "decode_rows: ", name_of(type), " is not a grouped type");
}

}  // namespace colonnade
