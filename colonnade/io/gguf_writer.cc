#include "colonnade/io/gguf_writer.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

static_assert(std::endian::native == std::endian::little,
              "fields are written as they lie in memory");

constexpr uint32_t kVersion = 3;
constexpr int64_t kDefaultAlignment = 32;

int64_t aligned(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Header bytes, field after field.
class Bytes {
 public:
  template <typename T>
  void put(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_raw(std::span<const std::byte> bytes) {
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void put_string(std::string_view text) {
    put<uint64_t>(text.size());
    text_.append(text);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void put_array(Bytes& out, const GgufArray& array) {
  out.put(static_cast<uint32_t>(array.element_type));
  out.put(static_cast<uint64_t>(array.size));
  if (array.element_type != GgufValueType::string) return out.put_raw(array.numbers);
  for (int64_t i = 0; i < array.size; ++i) out.put_string(array.strings[i]);
}

template <typename T>
void put_integer(Bytes& out, const GgufValue& value) {
  if (const auto* number = std::get_if<uint64_t>(&value.data))
    return out.put(static_cast<T>(*number));
  out.put(static_cast<T>(std::get<int64_t>(value.data)));
}

void put_value(Bytes& out, const GgufValue& value) {
  out.put(static_cast<uint32_t>(value.type));
  switch (value.type) {
    case GgufValueType::u8:
    case GgufValueType::i8:
      return put_integer<uint8_t>(out, value);
    case GgufValueType::u16:
    case GgufValueType::i16:
      return put_integer<uint16_t>(out, value);
    case GgufValueType::u32:
    case GgufValueType::i32:
      return put_integer<uint32_t>(out, value);
    case GgufValueType::u64:
    case GgufValueType::i64:
      return put_integer<uint64_t>(out, value);
    case GgufValueType::f32:
      return out.put(static_cast<float>(std::get<double>(value.data)));
    case GgufValueType::f64:
      return out.put(std::get<double>(value.data));
    case GgufValueType::boolean:
      return out.put<uint8_t>(std::get<bool>(value.data) ? 1 : 0);
    case GgufValueType::string:
      return out.put_string(std::get<std::string>(value.data));
    case GgufValueType::array:
      return put_array(out, *std::get<std::shared_ptr<const GgufArray>>(value.data));
  }
}

void check_spec(const std::string& path, const GgufTensorSpec& tensor) {
  const GgmlTypeInfo& info = info_of(tensor.type);
  CN_ASSERT(!tensor.dims.empty() && tensor.dims.size() <= 4 &&
                std::ranges::all_of(tensor.dims, [](int64_t dim) { return dim >= 1; }),
            "GgufWriter: dimensions of ", tensor.name);
  CN_CHECK(tensor.dims[0] % info.block_elements == 0, path, ": tensor ", quote(tensor.name),
           ": expected rows of a multiple of ", info.block_elements, " elements for ", info.name,
           ", got ", tensor.dims[0]);
}

int64_t alignment_of(const std::string& path, const std::vector<GgufEntry>& metadata) {
  return GgufMetadata(path, metadata).integer_or("general.alignment", kDefaultAlignment);
}

}  // namespace

int64_t GgufTensorSpec::rows() const {
  int64_t rows = 1;
  for (size_t d = 1; d < dims.size(); ++d) rows *= dims[d];
  return rows;
}

int64_t GgufTensorSpec::row_bytes() const {
  const GgmlTypeInfo& info = info_of(type);
  return dims[0] / info.block_elements * info.block_bytes;
}

GgufWriter::GgufWriter(std::string path, const std::vector<GgufEntry>& metadata,
                       const std::vector<GgufTensorSpec>& tensors)
    : file_(std::move(path)) {
  const int64_t alignment = alignment_of(file_.path(), metadata);
  Bytes header;
  header.put_raw(std::as_bytes(std::span(std::string_view("GGUF"))));
  header.put(kVersion);
  header.put<uint64_t>(tensors.size());
  header.put<uint64_t>(metadata.size());
  for (const GgufEntry& entry : metadata) {
    header.put_string(entry.key);
    put_value(header, entry.value);
  }
  int64_t data_bytes = 0;
  for (const GgufTensorSpec& tensor : tensors) {
    check_spec(file_.path(), tensor);
    header.put_string(tensor.name);
    header.put(static_cast<uint32_t>(tensor.dims.size()));
    for (const int64_t dim : tensor.dims) header.put<uint64_t>(static_cast<uint64_t>(dim));
    header.put(static_cast<uint32_t>(tensor.type));
    header.put<uint64_t>(static_cast<uint64_t>(data_bytes));
    places_.push_back({data_bytes, tensor.size_bytes()});
    tensor_bytes_ += tensor.size_bytes();
    data_bytes = aligned(data_bytes + tensor.size_bytes(), alignment);
  }
  const int64_t data_begin = aligned(static_cast<int64_t>(header.text().size()), alignment);
  for (Place& place : places_) place.offset += data_begin;
  size_bytes_ = data_begin + data_bytes;
  file_.reserve(size_bytes_);
  file_.write_at(0, header.text());
}

void GgufWriter::write(size_t index, int64_t begin, std::span<const std::byte> bytes) {
  const Place& place = places_.at(index);
  const auto size = static_cast<int64_t>(bytes.size());
  CN_ASSERT(begin >= 0 && size <= place.size_bytes - begin, "GgufWriter: bytes ", begin, " to ",
            begin + size, " of ", place.size_bytes);
  file_.write_at(place.offset + begin, bytes);
  written_bytes_.fetch_add(size, std::memory_order_relaxed);
}

void GgufWriter::commit() {
  const int64_t written = written_bytes_.load(std::memory_order_relaxed);
  CN_ASSERT(written == tensor_bytes_, "GgufWriter: wrote ", written, " bytes of ", tensor_bytes_);
  file_.commit();
}

}  // namespace colonnade
