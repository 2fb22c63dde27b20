// Which type each tensor of a quantized model gets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "colonnade/api/export_model.h"

namespace colonnade {

/// What the user asked for. One of the types of io/ggml_quantize each.
struct QuantizeTypes {
  GgmlType type = GgmlType::q8_0;
  std::optional<GgmlType> output = {};     // of the head; none: `type`
  std::optional<GgmlType> embedding = {};  // none: `type`
};

struct TensorType {
  GgmlType type = GgmlType::f32;
  std::string why;  // empty: the one that was asked for
};

/// One for each tensor. Vectors, norms, routers and tables of positions stay numbers of 32 bits;
/// rows that are no whole blocks stay as they are. A head that is the embedding too gets the type
/// of the embedding, if one was asked for, else that of the head.
std::vector<TensorType> choose_types(const std::vector<ExportTensor>& tensors,
                                     const QuantizeTypes& asked);

/// general.file_type of a file most of whose matrices are of `type`. Source: llama.h, "enum
/// llama_ftype".
uint32_t file_type_of(GgmlType type);

}  // namespace colonnade
