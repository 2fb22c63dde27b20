// A model in Hugging Face's form, as a GGUF file has it.
#pragma once

#include <memory>
#include <string>

#include "colonnade/api/export_model.h"

namespace colonnade {

/// Tensors have GGUF's names and its order of rows: q and k of a llama stand for interleaved
/// rotation. Throws Error as ModelFiles and gguf_metadata_of do.
std::unique_ptr<ExportModel> open_hf_export(const std::string& path);

}  // namespace colonnade
