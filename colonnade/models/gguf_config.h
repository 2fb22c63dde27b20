// From the metadata of a GGUF file to a DecoderConfig.
#pragma once

#include "colonnade/io/gguf_metadata.h"
#include "colonnade/io/tensor_source.h"
#include "colonnade/models/decoder_config.h"

namespace colonnade {

/// `tensors` under the file's names. Throws Error that names the key for what is missing, out of
/// range, or unknown (architecture, rotary scaling), with what is known.
/// Source: the GGUF specification, "Standardized key-value pairs".
DecoderConfig read_config(const GgufMetadata& metadata, const TensorSource& tensors);

}  // namespace colonnade
