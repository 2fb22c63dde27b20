// From the config.json of a Hugging Face folder to a DecoderConfig.
#pragma once

#include "colonnade/io/hf_config.h"
#include "colonnade/models/decoder_config.h"

namespace colonnade {

/// Throws Error that names the file and the field for what is missing, out of range, or unknown
/// (model type, activation, rotary scaling, kind of layer), with what is known.
/// Source: the configuration classes of transformers 4 and 5, whose spellings are both read.
DecoderConfig read_config(const HfConfig& fields);

}  // namespace colonnade
