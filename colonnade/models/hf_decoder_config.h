// From the config.json of a Hugging Face folder to a DecoderConfig.
#pragma once

#include <cstdint>

#include "colonnade/io/hf_config.h"
#include "colonnade/models/decoder_config.h"

namespace colonnade {

/// Sizes as a config.json gives them, whatever its family calls them; what it does not say is made
/// of the others, or 0. Nothing is judged: this is for showing a model, of a family that may be
/// unknown.
struct HfSizes {
  int64_t layers = 0, dim = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn_dim = 0, vocab = 0,
          context = 0;
};
HfSizes read_sizes(const HfConfig& fields);

/// Throws Error that names the file and the field for what is missing, out of range, or unknown
/// (model type, activation, rotary scaling, kind of layer), with what is known.
/// Source: the configuration classes of transformers 4 and 5, whose spellings are both read.
DecoderConfig read_config(const HfConfig& fields);

}  // namespace colonnade
