#include "colonnade/api/quantize_types.h"

#include <algorithm>
#include <string_view>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr std::string_view kEmbedding = "token_embd.weight";
constexpr std::string_view kHead = "output.weight";

/// What every engine wants as it is: few bytes that decide much.
const char* kept_in_f32(const ExportTensor& tensor) {
  const std::string_view name = tensor.name;
  if (tensor.is_vector() || tensor.rows() == 1) return "a vector";
  if (!name.ends_with(".weight")) return "no weight of a product";
  if (name.find("_norm") != name.npos) return "a norm";
  if (name.find("ffn_gate_inp") != name.npos) return "a router";
  if (name.find("position_embd") != name.npos || name.find("token_types") != name.npos)
    return "a table of positions";
  return nullptr;
}

GgmlType asked_for(const ExportTensor& tensor, const QuantizeTypes& asked, bool tied) {
  if (tensor.name == kHead) return asked.output.value_or(asked.type);
  if (tensor.name != kEmbedding) return asked.type;
  return asked.embedding.value_or(tied ? asked.output.value_or(asked.type) : asked.type);
}

TensorType choose_type(const ExportTensor& tensor, const QuantizeTypes& asked, bool tied) {
  if (const char* why = kept_in_f32(tensor)) return {GgmlType::f32, why};
  const GgmlType type = asked_for(tensor, asked, tied);
  const int block = info_of(type).block_elements;
  if (tensor.cols() % block == 0) return {type, {}};
  const std::string why =
      concat("rows of ", tensor.cols(), " are no multiple of ", block, " elements");
  return {tensor.type.value_or(GgmlType::f32), why};
}

}  // namespace

std::vector<TensorType> choose_types(const std::vector<ExportTensor>& tensors,
                                     const QuantizeTypes& asked) {
  const bool tied = std::ranges::find(tensors, kHead, &ExportTensor::name) == tensors.end();
  std::vector<TensorType> types;
  for (const ExportTensor& tensor : tensors) types.push_back(choose_type(tensor, asked, tied));
  return types;
}

uint32_t file_type_of(GgmlType type) {
  switch (type) {
    case GgmlType::f32:
      return 0;
    case GgmlType::f16:
      return 1;
    case GgmlType::q4_0:
      return 2;
    case GgmlType::q4_1:
      return 3;
    case GgmlType::q8_0:
      return 7;
    case GgmlType::bf16:
      return 32;
    default:
      break;
  }
  CN_ASSERT(false, "file_type_of: ", name_of(type), " is not a type that can be written");
}

}  // namespace colonnade
