#include "colonnade/io/gguf_header.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/file_kind.h"
#include "colonnade/io/header_reader.h"

namespace colonnade {
namespace {

constexpr int64_t kDefaultAlignment = 32;
constexpr int64_t kLargestAlignment = 1 << 20;
constexpr uint64_t kLongestName = 65535;
constexpr int kDeepestArray = 4;
// The fewest bytes that the file can spend on one of these.
constexpr uint64_t kSmallestEntry = 8 + 1 + 4 + 1;  // key length, key, type, value
constexpr uint64_t kSmallestTensor =
    8 + 1 + 4 + 8 + 4 + 8;  // name length, name, n_dims, one dim, type, offset
constexpr uint64_t kSmallestString = 8;
constexpr uint64_t kSmallestArray = 4 + 8;  // type, length

static_assert(std::endian::native == std::endian::little, "fields are read as they lie in memory");

/// What people put where a GGUF file should be, said in words. Throws unless the file begins as
/// GGUF.
void check_magic(HeaderReader& in) {
  if (in.left() == 0) in.fail("magic", 0, "expected a GGUF file, but the file is empty");
  std::string start(std::min<uint64_t>(in.left(), 64), '\0');
  in.read_bytes("magic", std::as_writable_bytes(std::span(start)));
  if (start.starts_with("GGUF")) return in.seek(4);
  in.fail("magic", 0,
          concat("expected 'GGUF', got ", quote(std::string_view(start).substr(0, 4)),
                 foreign_file_kind(start)));
}

uint32_t read_version(HeaderReader& in) {
  const auto version = in.read<uint32_t>("version");
  if (version != 0 && (version & 0xffff) == 0) {
    in.fail("version", 4,
            concat("expected 2 or 3, little-endian, got ", version,
                   ": this file is big-endian, convert it with gguf-py's gguf_convert_endian"));
  }
  in.check(version == 2 || version == 3, "version", 4, "2 or 3, got ", version);
  return version;
}

std::string read_string(HeaderReader& in, const char* field) {
  const auto length = in.read_count<uint64_t>(field, 1);
  std::string text(length, '\0');
  in.read_bytes(field, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string read_name(HeaderReader& in, const char* field) {
  const auto length = in.read_count<uint64_t>(field, 1);
  in.check(length >= 1 && length <= kLongestName, field, 8, "1 to ", kLongestName, ", got ",
           length);
  std::string text(length, '\0');
  in.read_bytes(field, std::as_writable_bytes(std::span(text)));
  return text;
}

GgufValueType read_value_type(HeaderReader& in, const char* field) {
  const auto number = in.read<uint32_t>(field);
  in.check(number <= static_cast<uint32_t>(GgufValueType::f64), field, 4, "0 to 12, got ", number);
  return static_cast<GgufValueType>(number);
}

/// Two passes: the first adds up the lengths, so that the memory is asked for once and is no more
/// than the file's bytes.
StringArray read_strings(HeaderReader& in, uint64_t count) {
  const int64_t begin = in.position();
  std::vector<uint64_t> ends(count);
  uint64_t total = 0;
  for (uint64_t& end : ends) {
    const auto length = in.read_count<uint64_t>("string length", 1);
    in.skip(length);
    end = total += length;
  }
  std::string bytes(total, '\0');
  in.seek(begin);
  uint64_t done = 0;
  for (const uint64_t end : ends) {
    in.skip(kSmallestString);
    in.read_bytes("string", std::as_writable_bytes(std::span(bytes).subspan(done, end - done)));
    done = end;
  }
  return {std::move(bytes), std::move(ends)};
}

void check_flags(HeaderReader& in, std::span<const std::byte> flags) {
  const auto wrong =
      std::ranges::find_if(flags, [](std::byte flag) { return flag > std::byte{1}; });
  if (wrong == flags.end()) return;
  in.fail("bool", in.position() - (flags.end() - wrong),
          concat("expected 0 or 1, got ", std::to_integer<int>(*wrong)));
}

GgufArray read_array(HeaderReader& in, int depth);

/// The elements of an array of arrays are checked like any other; their bytes stay.
std::vector<std::byte> read_nested_arrays(HeaderReader& in, uint64_t count, int depth) {
  const int64_t begin = in.position();
  for (uint64_t i = 0; i < count; ++i) read_array(in, depth);
  std::vector<std::byte> bytes(static_cast<size_t>(in.position() - begin));
  in.seek(begin);
  in.read_bytes("array", bytes);
  return bytes;
}

GgufArray read_array(HeaderReader& in, int depth) {
  if (depth > kDeepestArray) {
    in.fail("array", in.position(),
            concat("expected arrays nested at most ", kDeepestArray, " deep, got more"));
  }
  GgufArray array;
  array.element_type = read_value_type(in, "array type");
  const auto size = static_cast<uint64_t>(size_of(array.element_type));
  const bool nested = array.element_type == GgufValueType::array;
  const uint64_t smallest = size != 0 ? size : (nested ? kSmallestArray : kSmallestString);
  const auto count = in.read_count<uint64_t>("array length", smallest);
  array.size = static_cast<int64_t>(count);
  if (nested) {
    array.numbers = read_nested_arrays(in, count, depth + 1);
  } else if (array.element_type == GgufValueType::string) {
    array.strings = read_strings(in, count);
  } else {
    array.numbers.resize(count * size);
    in.read_bytes("array", array.numbers);
    if (array.element_type == GgufValueType::boolean) check_flags(in, array.numbers);
  }
  return array;
}

GgufValue read_value(HeaderReader& in) {
  const GgufValueType type = read_value_type(in, "value type");
  switch (type) {
    case GgufValueType::u8:
      return {type, uint64_t{in.read<uint8_t>("value")}};
    case GgufValueType::i8:
      return {type, int64_t{in.read<int8_t>("value")}};
    case GgufValueType::u16:
      return {type, uint64_t{in.read<uint16_t>("value")}};
    case GgufValueType::i16:
      return {type, int64_t{in.read<int16_t>("value")}};
    case GgufValueType::u32:
      return {type, uint64_t{in.read<uint32_t>("value")}};
    case GgufValueType::i32:
      return {type, int64_t{in.read<int32_t>("value")}};
    case GgufValueType::u64:
      return {type, in.read<uint64_t>("value")};
    case GgufValueType::i64:
      return {type, in.read<int64_t>("value")};
    case GgufValueType::f32:
      return {type, double{in.read<float>("value")}};
    case GgufValueType::f64:
      return {type, in.read<double>("value")};
    case GgufValueType::boolean: {
      const auto flag = in.read<std::byte>("bool");
      check_flags(in, std::span(&flag, 1));
      return {type, flag == std::byte{1}};
    }
    case GgufValueType::string:
      return {type, read_string(in, "string length")};
    case GgufValueType::array:
      return {type, std::make_shared<const GgufArray>(read_array(in, 1))};
  }
  CN_ASSERT(false, "GGUF value type ", static_cast<uint32_t>(type));
}

GgufMetadata read_metadata(const File& file, HeaderReader& in, uint64_t count) {
  std::vector<GgufEntry> entries;  // grows with what is read, not with what is promised
  for (uint64_t i = 0; i < count; ++i) {
    in.set_subject(concat("metadata entry ", i));
    GgufEntry entry;
    entry.offset = in.position();
    entry.key = read_name(in, "key length");
    in.set_subject(concat("metadata key ", quote(entry.key)));
    entry.value = read_value(in);
    entries.push_back(std::move(entry));
  }
  in.set_subject({});
  return {file.path(), std::move(entries)};
}

int64_t read_alignment(const GgufMetadata& metadata) {
  constexpr const char* kKey = "general.alignment";
  const int64_t alignment = metadata.integer_or(kKey, kDefaultAlignment);
  if (alignment >= 1 && alignment <= kLargestAlignment &&
      std::has_single_bit(static_cast<uint64_t>(alignment))) {
    return alignment;
  }
  metadata.refuse(kKey,
                  concat("expected a power of two up to ", kLargestAlignment, ", got ", alignment));
}

void read_dims(HeaderReader& in, GgufTensor& tensor) {
  const auto count = in.read<uint32_t>("n_dims");
  in.check(count >= 1 && count <= tensor.dims.size(), "n_dims", 4, "1 to ", tensor.dims.size(),
           ", got ", count);
  tensor.dim_count = static_cast<int>(count);
  uint64_t elements = 1;
  for (uint32_t d = 0; d < count; ++d) {
    const auto dim = in.read<uint64_t>("dims");
    in.check(dim >= 1, "dims", 8, "dimension ", d, " of at least 1, got ", dim);
    constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
    in.check(dim <= kLargest / elements, "dims", 8, "a product below 2^63, got dimension ", d,
             " of ", dim, " after ", elements, " elements");
    elements *= dim;
    tensor.dims[d] = static_cast<int64_t>(dim);
  }
}

void read_type(HeaderReader& in, GgufTensor& tensor) {
  const auto number = in.read<uint32_t>("type");
  const GgmlTypeInfo* info = find_ggml_type(number);
  if (info == nullptr || info->block_elements == 0) {
    const std::string got = info == nullptr
                                ? concat("the unknown number ", number)
                                : concat(info->name, " (", number, "), which is not supported yet");
    in.check(false, "type", 4, "one of ", readable_ggml_types(), ", got ", got);
  }
  in.check(tensor.cols() % info->block_elements == 0, "type", 4, "rows of a multiple of ",
           info->block_elements, " elements for ", info->name, ", got ", tensor.cols());
  tensor.type = static_cast<GgmlType>(number);
  const auto blocks = static_cast<uint64_t>(tensor.elements() / info->block_elements);
  const auto block_bytes = static_cast<uint64_t>(info->block_bytes);
  in.check(blocks <= in.left() / block_bytes, "type", 4, blocks, " blocks of ", block_bytes,
           " bytes for ", info->name, ", but only ", in.left(),
           " bytes are left in the file: it is cut short or damaged");
  tensor.size_bytes = static_cast<int64_t>(blocks * block_bytes);
}

GgufTensor read_tensor(HeaderReader& in, uint64_t index, int64_t alignment) {
  in.set_subject(concat("tensor ", index));
  GgufTensor tensor;
  tensor.name = read_name(in, "name length");
  in.set_subject(concat("tensor ", quote(tensor.name)));
  read_dims(in, tensor);
  read_type(in, tensor);
  const auto offset = in.read<uint64_t>("offset");
  in.check(offset <= in.left(), "offset", 8, "at most ", in.left(),
           " (the bytes left in the file), got ", offset, ": it is cut short or damaged");
  in.check(offset % static_cast<uint64_t>(alignment) == 0, "offset", 8,
           "a multiple of the alignment ", alignment, ", got ", offset);
  tensor.offset = static_cast<int64_t>(offset);
  return tensor;
}

/// Turns offsets into positions in the file and checks that every tensor lies inside it.
void place_tensors(const File& file, int64_t data_begin, std::vector<GgufTensor>& tensors) {
  for (GgufTensor& tensor : tensors) {
    tensor.offset += data_begin;  // both are at most the file's size
    CN_CHECK(tensor.offset <= file.size() && tensor.size_bytes <= file.size() - tensor.offset,
             file.path(), ": tensor ", quote(tensor.name), ": data: expected ", tensor.size_bytes,
             " bytes at offset ", tensor.offset, ", but the file ends at offset ", file.size(),
             ": it is cut short or damaged");
  }
}

void check_unique_names(const File& file, const std::vector<GgufTensor>& tensors,
                        std::vector<uint32_t>& order) {
  const auto name_of = [&](uint32_t i) -> const std::string& { return tensors[i].name; };
  std::ranges::sort(order, {}, name_of);
  const auto twice = std::ranges::adjacent_find(order, {}, name_of);
  CN_CHECK(twice == order.end(), file.path(), ": tensor ", quote(name_of(*twice)),
           ": name: comes twice");
}

void check_no_overlap(const File& file, const std::vector<GgufTensor>& tensors,
                      std::vector<uint32_t>& order) {
  std::ranges::sort(order, {}, [&](uint32_t i) { return tensors[i].offset; });
  for (size_t i = 1; i < order.size(); ++i) {
    const GgufTensor& before = tensors[order[i - 1]];
    const GgufTensor& after = tensors[order[i]];
    CN_CHECK(after.offset >= before.offset + before.size_bytes, file.path(), ": tensor ",
             quote(after.name), ": offset: expected data behind tensor ", quote(before.name),
             ", which ends at ", before.offset + before.size_bytes, ", got ", after.offset,
             ": they overlap");
  }
}

}  // namespace

GgufHeader read_gguf_header(const File& file) {
  HeaderReader in(file);
  check_magic(in);
  GgufHeader header;
  header.version = read_version(in);
  const auto tensor_count = in.read_count<uint64_t>("n_tensors", kSmallestTensor);
  const auto entry_count = in.read_count<uint64_t>("n_kv", kSmallestEntry);
  header.metadata = read_metadata(file, in, entry_count);
  header.alignment = read_alignment(header.metadata);
  for (uint64_t i = 0; i < tensor_count; ++i) {
    header.tensors.push_back(read_tensor(in, i, header.alignment));
  }
  const int64_t data_begin =
      (in.position() + header.alignment - 1) / header.alignment * header.alignment;
  place_tensors(file, data_begin, header.tensors);
  std::vector<uint32_t> order(header.tensors.size());
  std::iota(order.begin(), order.end(), 0U);
  check_unique_names(file, header.tensors, order);
  check_no_overlap(file, header.tensors, order);
  return header;
}

}  // namespace colonnade
