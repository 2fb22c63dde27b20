#include "colonnade/io/grouped_tensors.h"

#include <algorithm>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/code_bits.h"
#include "colonnade/io/slice_ranges.h"

namespace colonnade {
namespace {

constexpr std::string_view kWeight = ".weight", kScales = ".scales", kBiases = ".biases";
constexpr std::string_view kBlocks = "_blocks", kBlockScales = "_scales";
constexpr int64_t kBlockBytes = 16, kBlockElements = 32;  // of gpt-oss

/// Raw bytes that wait to be unpacked: they stay in the second-level cache.
constexpr int64_t kScratchBytes = 128 << 10;

std::string with_end(std::string_view name, std::string_view end, std::string_view other) {
  return std::string(name.substr(0, name.size() - end.size())).append(other);
}

[[noreturn]] void fail(const SafetensorsFiles& files, const SafetensorsTensor& tensor,
                       const std::string& problem) {
  throw Error(concat(files.path(), ": tensor ", quote(tensor.name), ": ", problem));
}

void check(const SafetensorsFiles& files, const SafetensorsTensor& tensor, bool ok,
           const std::string& expected) {
  if (!ok) fail(files, tensor, concat("expected ", expected, ", got ", tensor.description()));
}

WeightFormat format_of(const SafetensorsFiles& files, const MlxLayer& layer,
                       const SafetensorsTensor& scales) {
  if (layer.mode != MlxMode::affine) {
    check(files, scales, scales.type == SafetensorsType::u8, "scales of U8");
    return layer.mode == MlxMode::mxfp4   ? WeightFormat::mxfp4
           : layer.mode == MlxMode::mxfp8 ? WeightFormat::mxfp8
                                          : WeightFormat::nvfp4;
  }
  const SafetensorsType type = scales.type;
  const bool known =
      type == SafetensorsType::f16 || type == SafetensorsType::bf16 || type == SafetensorsType::f32;
  check(files, scales, known, "scales of F16, BF16 or F32");
  const ScaleType scale_type = type == SafetensorsType::f16    ? ScaleType::f16
                               : type == SafetensorsType::bf16 ? ScaleType::bf16
                                                               : ScaleType::f32;
  const auto format = affine_format({.bits = static_cast<int>(layer.bits),
                                     .group = static_cast<int>(layer.group),
                                     .scales = scale_type});
  CN_ASSERT(format.has_value(), layer.bits, " bits in groups of ", layer.group);
  return *format;
}

/// Where a slice of a tensor begins, and how many columns it has.
struct Place {
  int64_t row = 0;
  int64_t col = 0;
  int64_t cols = 0;
};

/// Numbers of a table [rows, per_row] of the file for the groups that the columns of `out` touch.
void read_table(const SafetensorsFiles& files, const SafetensorsTensor& table, Range rows,
                Range groups, uint8_t* to) {
  const int64_t size = info_of(table.type).bits / 8;
  read_row_parts(table.cols() * size, rows, {groups.begin * size, groups.end * size},
                 reinterpret_cast<std::byte*>(to), [&](int64_t begin, std::span<std::byte> bytes) {
                   files.read(table, begin, bytes);
                 });
}

/// E4M3 has two bytes that are no numbers, E8M0 one.
void check_numbers(const SafetensorsFiles& files, const SafetensorsTensor& tensor,
                   std::span<const uint8_t> bytes, ScaleType type, Place place) {
  const auto no_number = [type](uint8_t byte) {
    return type == ScaleType::e4m3 ? (byte & 0x7f) == 0x7f : byte == 0xff;
  };
  const auto found = std::ranges::find_if(bytes, no_number);
  if (found == bytes.end()) return;
  const int64_t at = found - bytes.begin();
  fail(files, tensor,
       concat("row ", place.row + at / place.cols, ", column ", place.col + at % place.cols,
              ": expected a number, got the byte ", int{*found}, ", which is none in ",
              type == ScaleType::e4m3 ? "E4M3" : "E8M0",
              ": convert the model again from its original weights"));
}

void read_codes(const SafetensorsFiles& files, const GroupedTensor& tensor, Range rows,
                int64_t first, GroupedRows& out) {
  const int bits = grouped_format(tensor.format).bits;
  const int64_t skipped = out.begin % 8;  // from eight codes on that fill whole bytes
  const Range part{(out.begin - skipped) * bits / 8, ((out.begin + out.cols) * bits + 7) / 8};
  const int64_t step = std::max<int64_t>(1, kScratchBytes / part.size());
  std::vector<std::byte> raw(static_cast<size_t>(std::min(step, rows.size()) * part.size()));
  for (int64_t row = rows.begin; row < rows.end; row += step) {
    const Range some{row, std::min(rows.end, row + step)};
    read_row_parts(tensor.cols * bits / 8, some, part, raw.data(),
                   [&](int64_t begin, std::span<std::byte> bytes) {
                     files.read(*tensor.codes, begin, bytes);
                   });
    uint8_t* to = out.codes.data() + (first + row - rows.begin) * out.cols;
    for (int64_t r = 0; r < some.size(); ++r, to += out.cols) {
      unpack_codes(bits, raw.data() + r * part.size(), skipped, out.cols, to);
    }
  }
}

}  // namespace

int64_t GroupedTensor::file_bytes() const {
  return codes->size_bytes + scales->size_bytes + (offsets == nullptr ? 0 : offsets->size_bytes);
}

void read_grouped(const SafetensorsFiles& files, const GroupedTensor& tensor, Range rows,
                  int64_t first, GroupedRows& out) {
  if (rows.empty() || out.cols == 0) return;
  read_codes(files, tensor, rows, first, out);
  const GroupedFormat format = grouped_format(tensor.format);
  if (format.floats) {
    const auto codes = std::span(out.codes).subspan(static_cast<size_t>(first * out.cols),
                                                    static_cast<size_t>(rows.size() * out.cols));
    check_numbers(files, *tensor.codes, codes, ScaleType::e4m3, {rows.begin, out.begin, out.cols});
  }
  const int64_t begin = out.begin / format.group;
  const Range groups{begin, begin + out.groups()};
  const int64_t at = first * out.groups() * scale_bytes(format.scales);
  read_table(files, *tensor.scales, rows, groups, out.scales.data() + at);
  if (scale_bytes(format.scales) == 1 && tensor.format != WeightFormat::mxfp4) {
    const auto count = static_cast<size_t>(rows.size() * groups.size());
    check_numbers(files, *tensor.scales, std::span(out.scales).subspan(at, count), format.scales,
                  {rows.begin, begin, groups.size()});
  }
  if (tensor.offsets != nullptr) {
    read_table(files, *tensor.offsets, rows, groups, out.offsets.data() + at);
  }
}

GroupedTensors::GroupedTensors(const SafetensorsFiles& files, const MlxQuantization& quantization) {
  for (const SafetensorsTensor& tensor : files.tensors()) {
    if (tensor.name.ends_with(kScales)) add_mlx(files, quantization, tensor);
    if (tensor.name.ends_with(kBlocks)) add_blocks(files, tensor);
  }
}

const GroupedTensor* GroupedTensors::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

void GroupedTensors::add_mlx(const SafetensorsFiles& files, const MlxQuantization& quantization,
                             const SafetensorsTensor& scales) {
  const SafetensorsTensor* codes = files.find(with_end(scales.name, kScales, kWeight));
  if (codes == nullptr || codes->type != SafetensorsType::u32) return;
  const std::string_view path =
      std::string_view(scales.name).substr(0, scales.name.size() - kScales.size());
  const std::optional<MlxLayer> layer = quantization.of(path);
  if (!layer) {
    fail(files, *codes,
         concat("is quantized, but config.json does not say how: expected 'quantization' there, "
                "with group_size and bits, for ",
                quote(path)));
  }
  GroupedTensor tensor;
  tensor.format = format_of(files, *layer, scales);
  tensor.codes = codes;
  tensor.scales = &scales;
  tensor.rows = codes->rows();
  check(files, *codes, codes->dim_count >= 2 && codes->cols() * 32 % layer->bits == 0,
        concat("rows of whole codes of ", layer->bits, " bits"));
  tensor.cols = codes->cols() * 32 / layer->bits;
  if (layer->mode == MlxMode::affine) {
    tensor.offsets = files.find(with_end(scales.name, kScales, kBiases));
    if (tensor.offsets == nullptr) fail(files, *codes, "expected biases beside its scales");
  }
  add(files, codes->name, tensor);
}

void GroupedTensors::add_blocks(const SafetensorsFiles& files, const SafetensorsTensor& blocks) {
  const SafetensorsTensor* scales = files.find(with_end(blocks.name, kBlocks, kBlockScales));
  if (scales == nullptr || blocks.type != SafetensorsType::u8) return;
  check(files, blocks, blocks.dim_count >= 3 && blocks.cols() == kBlockBytes,
        "blocks of 16 bytes, [..., rows, K / 32, 16]");
  check(files, *scales, scales->type == SafetensorsType::u8, "scales of U8");
  GroupedTensor tensor;
  tensor.codes = &blocks;
  tensor.scales = scales;
  const int64_t per_row = blocks.dims[static_cast<size_t>(blocks.dim_count - 2)];
  tensor.cols = per_row * kBlockElements;
  tensor.rows = per_row == 0 ? 0 : blocks.rows() / per_row;
  add(files, with_end(blocks.name, kBlocks, ""), tensor);
}

void GroupedTensors::add(const SafetensorsFiles& files, const std::string& name,
                         const GroupedTensor& tensor) {
  const int64_t group = grouped_format(tensor.format).group;
  check(files, *tensor.codes, tensor.cols % group == 0,
        concat("rows of whole groups of ", group, " elements (they have ", tensor.cols, ")"));
  for (const SafetensorsTensor* table : {tensor.scales, tensor.offsets}) {
    if (table == nullptr) continue;
    check(files, *table,
          table->type == tensor.scales->type && table->rows() == tensor.rows &&
              table->cols() == tensor.cols / group,
          concat(tensor.rows, " rows of ", tensor.cols / group, " numbers of ",
                 name_of(tensor.scales->type), ", as ", quote(tensor.codes->name), " needs"));
    parts_.insert(table->name);
  }
  parts_.insert(tensor.codes->name);
  CN_CHECK(files.find(name) == nullptr || name == tensor.codes->name, files.path(), ": tensor ",
           quote(name), ": is there, and also as ", quote(tensor.codes->name));
  all_.emplace(name, tensor);
}

}  // namespace colonnade
