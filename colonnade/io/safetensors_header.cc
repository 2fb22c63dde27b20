#include "colonnade/io/safetensors_header.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/file_kind.h"

namespace colonnade {
namespace {

using nlohmann::json;

constexpr int64_t kLengthBytes = 8;
constexpr uint64_t kMostHeaderBytes = 100'000'000;
constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr const char* kMetadata = "__metadata__";

/// Takes the parser's events and keeps nothing but tensors; the first thing that has no place in a
/// header ends the parse with an Error. Offsets are still those in the header, from the beginning
/// of the data.
class HeaderBuilder : public nlohmann::json_sax<json> {
 public:
  HeaderBuilder(std::string where, SafetensorsHeader& header)
      : where_(std::move(where)), header_(header) {}

  bool null() override { refuse("null"); }
  bool boolean(bool value) override { refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { refuse(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t /*value*/, const string_t& text) override { refuse(text); }
  bool string(string_t& value) override;
  bool binary(binary_t& /*value*/) override { refuse("bytes"); }
  bool start_object(size_t /*size*/) override;
  bool key(string_t& value) override;
  bool end_object() override;
  bool start_array(size_t /*size*/) override;
  bool end_array() override;
  bool parse_error(size_t position, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    throw Error(concat(where_, ": expected JSON, but byte ", position, " of it fits none"));
  }

 private:
  enum class Place { outside, header, metadata, tensor, list };

  /// "FILE: header: tensor 'x': shape"
  std::string place() const;
  std::string expected() const;
  [[noreturn]] void refuse(const std::string& got) const {
    throw Error(concat(place(), ": expected ", expected(), ", got ", got));
  }
  void begin_field(const std::string& name);
  void finish_tensor();
  void finish_shape(SafetensorsTensor& tensor) const;

  const std::string where_;
  SafetensorsHeader& header_;
  Place place_ = Place::outside;
  std::string name_;   // of the tensor
  std::string field_;  // of the tensor or of the metadata
  std::optional<SafetensorsType> type_;
  std::optional<std::vector<uint64_t>> shape_, offsets_;
  bool has_metadata_ = false;
};

std::string HeaderBuilder::place() const {
  switch (place_) {
    case Place::outside:
      return where_;
    case Place::header:
      return concat(where_, ": tensor ", quote(name_));
    case Place::metadata:
      return concat(where_, ": ", kMetadata, ": ", quote(field_));
    case Place::tensor:
    case Place::list:
      break;
  }
  return concat(where_, ": tensor ", quote(name_), ": ", field_);
}

std::string HeaderBuilder::expected() const {
  switch (place_) {
    case Place::outside:
      return "an object of tensors";
    case Place::header:
      return "an object with dtype, shape and data_offsets";
    case Place::metadata:
      return "a text";
    case Place::tensor:
      return field_ == "dtype" ? "a text" : "a list of integers";
    case Place::list:
      break;
  }
  return "integers from 0 to 2^63 - 1";
}

bool HeaderBuilder::start_object(size_t /*size*/) {
  if (place_ == Place::outside) {
    place_ = Place::header;
  } else if (place_ == Place::header) {
    place_ = name_ == kMetadata ? Place::metadata : Place::tensor;
    type_.reset();
    shape_.reset();
    offsets_.reset();
  } else {
    refuse("an object");
  }
  return true;
}

bool HeaderBuilder::key(string_t& value) {
  if (place_ == Place::header) {
    CN_CHECK(value != kMetadata || !std::exchange(has_metadata_, true), where_, ": ", kMetadata,
             ": comes twice");
    name_ = value;
  } else {
    field_ = value;
    if (place_ == Place::tensor) begin_field(value);
  }
  return true;
}

void HeaderBuilder::begin_field(const std::string& name) {
  const bool again = (name == "dtype" && type_) || (name == "shape" && shape_) ||
                     (name == "data_offsets" && offsets_);
  CN_CHECK(!again, place(), ": comes twice");
  CN_CHECK(name == "dtype" || name == "shape" || name == "data_offsets", where_, ": tensor ",
           quote(name_), ": expected the fields dtype, shape and data_offsets, got ", quote(name));
}

bool HeaderBuilder::string(string_t& value) {
  if (place_ == Place::metadata) {
    CN_CHECK(header_.metadata.emplace(field_, value).second, place(), ": comes twice");
    return true;
  }
  if (place_ != Place::tensor || field_ != "dtype") refuse(quote(value));
  type_ = find_safetensors_type(value);
  CN_CHECK(type_.has_value(), place(), ": expected one of ", safetensors_type_names(), ", got ",
           quote(value));
  return true;
}

bool HeaderBuilder::start_array(size_t /*size*/) {
  if (place_ != Place::tensor || field_ == "dtype") refuse("a list");
  (field_ == "shape" ? shape_ : offsets_).emplace();
  place_ = Place::list;
  return true;
}

bool HeaderBuilder::number_unsigned(number_unsigned_t value) {
  if (place_ != Place::list || value > kLargest) refuse(std::to_string(value));
  const bool shape = field_ == "shape";
  std::vector<uint64_t>& list = shape ? *shape_ : *offsets_;
  const size_t most = shape ? std::tuple_size_v<decltype(SafetensorsTensor::dims)> : 2;
  CN_CHECK(list.size() < most, place(), ": expected ", shape ? "at most " : "", most,
           shape ? " dimensions" : " integers", ", got more");
  list.push_back(value);
  return true;
}

bool HeaderBuilder::end_array() {
  place_ = Place::tensor;
  CN_CHECK(field_ != "data_offsets" || offsets_->size() == 2, place(),
           ": expected 2 integers, got ", offsets_ ? offsets_->size() : 0);
  return true;
}

bool HeaderBuilder::end_object() {
  if (place_ == Place::tensor) finish_tensor();
  place_ = place_ == Place::header ? Place::outside : Place::header;
  return true;
}

void HeaderBuilder::finish_shape(SafetensorsTensor& tensor) const {
  const auto bits = static_cast<uint64_t>(info_of(tensor.type).bits);
  uint64_t elements = 1;
  for (const uint64_t dim : *shape_) {
    CN_CHECK(dim == 0 || elements <= kLargest / bits / dim, where_, ": tensor ", quote(name_),
             ": shape: expected less than 2^63 bits in all, got dimension ", dim, " after ",
             elements, " elements of ", bits, " bits");
    elements *= dim;
    tensor.dims[static_cast<size_t>(tensor.dim_count++)] = static_cast<int64_t>(dim);
  }
  CN_CHECK(elements * bits % 8 == 0, where_, ": tensor ", quote(name_),
           ": shape: expected whole bytes, got ", elements, " elements of ", bits, " bits");
  tensor.size_bytes = static_cast<int64_t>(elements * bits / 8);
}

void HeaderBuilder::finish_tensor() {
  const auto require = [&](bool present, const char* field) {
    CN_CHECK(present, where_, ": tensor ", quote(name_), ": field '", field, "' is missing");
  };
  require(type_.has_value(), "dtype");
  require(shape_.has_value(), "shape");
  require(offsets_.has_value(), "data_offsets");
  SafetensorsTensor tensor;
  tensor.name = name_;
  tensor.type = *type_;
  finish_shape(tensor);
  const uint64_t begin = offsets_->front(), end = offsets_->back();
  CN_CHECK(begin <= end, where_, ": tensor ", quote(name_),
           ": data_offsets: expected a begin up to the end, got ", begin, " to ", end);
  CN_CHECK(end - begin == static_cast<uint64_t>(tensor.size_bytes), where_, ": tensor ",
           quote(name_), ": data_offsets: expected ", tensor.size_bytes, " bytes for ",
           tensor.description(), ", got ", end - begin, " (", begin, " to ", end, ")");
  tensor.offset = static_cast<int64_t>(begin);
  header_.tensors.push_back(std::move(tensor));
}

/// Bytes of the header, judged before any memory is asked for.
int64_t read_length(const File& file) {
  CN_CHECK(file.size() > 0, file.path(), ": expected a safetensors file, but the file is empty");
  std::string start(static_cast<size_t>(std::min<int64_t>(file.size(), 64)), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(start)));
  const std::string kind = foreign_file_kind(start);
  CN_CHECK(kind.empty(), file.path(), ": expected a safetensors file", kind);
  CN_CHECK(file.size() >= kLengthBytes, file.path(),
           ": header length: expected 8 bytes, but the file has ", file.size(), " bytes");
  uint64_t length;
  std::memcpy(&length, start.data(), sizeof length);
  const auto left = static_cast<uint64_t>(file.size() - kLengthBytes);
  CN_CHECK(length > 0, file.path(), ": header length: expected a header, got 0 bytes");
  CN_CHECK(length <= kMostHeaderBytes, file.path(), ": header length: expected at most ",
           kMostHeaderBytes, " bytes, got ", length, ": this is no safetensors file, or damaged");
  CN_CHECK(length <= left, file.path(), ": header length: expected at most ", left,
           " bytes, which the file has left, got ", length, ": it is cut short or damaged");
  return static_cast<int64_t>(length);
}

void check_unique_names(const std::string& where, const std::vector<SafetensorsTensor>& tensors) {
  std::vector<uint32_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto name_of = [&](uint32_t i) -> const std::string& { return tensors[i].name; };
  std::ranges::sort(order, {}, name_of);
  const auto twice = std::ranges::adjacent_find(order, {}, name_of);
  CN_CHECK(twice == order.end(), where, ": tensor ", quote(name_of(*twice)), ": comes twice");
}

/// The data of all tensors must lie one behind the other, from the first byte to the last.
void check_layout(const std::string& where, const std::vector<SafetensorsTensor>& tensors,
                  int64_t data_bytes) {
  int64_t end = 0;
  const SafetensorsTensor* before = nullptr;
  for (const SafetensorsTensor& tensor : tensors) {
    const std::string behind = before == nullptr
                                   ? "at the beginning"
                                   : concat("behind tensor ", quote(before->name), ", which ends");
    CN_CHECK(tensor.offset >= end, where, ": tensor ", quote(tensor.name),
             ": data_offsets: expected data ", behind, " at ", end, ", got ", tensor.offset,
             ": they overlap");
    CN_CHECK(tensor.offset == end, where, ": tensor ", quote(tensor.name),
             ": data_offsets: expected data ", behind, " at ", end, ", got ", tensor.offset,
             ": between them is a hole");
    end = tensor.offset + tensor.size_bytes;
    before = &tensor;
  }
  CN_CHECK(end <= data_bytes, where, ": tensor ", quote(before == nullptr ? "" : before->name),
           ": data_offsets: expected data that ends within the ", data_bytes,
           " bytes behind the header, got ", end, ": ", end - data_bytes,
           " bytes are missing, the file is cut short or damaged");
  CN_CHECK(end == data_bytes, where, ": expected ", end, " bytes of data, got ", data_bytes, ": ",
           data_bytes - end, " bytes belong to no tensor");
}

}  // namespace

std::string SafetensorsTensor::description() const {
  std::string text = "[";
  for (int d = 0; d < dim_count; ++d) {
    text += concat(d == 0 ? "" : ", ", dims[static_cast<size_t>(d)]);
  }
  return concat(text, "] ", name_of(type));
}

SafetensorsHeader read_safetensors_header(const File& file) {
  const int64_t length = read_length(file);
  std::string text(static_cast<size_t>(length), '\0');
  file.read_at(kLengthBytes, std::as_writable_bytes(std::span(text)));
  const std::string where = file.path() + ": header";
  CN_CHECK(text.front() == '{', where, ": expected a JSON object, got ",
           text.front() == '[' ? "a JSON list" : quote(std::string_view(text).substr(0, 8)));
  SafetensorsHeader header;
  HeaderBuilder builder(where, header);
  json::sax_parse(text.begin(), text.end(), &builder);
  std::vector<SafetensorsTensor>& tensors = header.tensors;
  check_unique_names(where, tensors);
  std::ranges::sort(tensors, {}, [](const SafetensorsTensor& tensor) {
    return std::pair(tensor.offset, tensor.size_bytes);  // empty ones first
  });
  const int64_t data_begin = kLengthBytes + length;
  check_layout(where, tensors, file.size() - data_begin);
  for (SafetensorsTensor& tensor : tensors) tensor.offset += data_begin;
  return header;
}

}  // namespace colonnade
