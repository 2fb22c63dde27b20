// From a DecoderConfig to the metadata of a GGUF file: what read_config (gguf_config.h) reads.
#pragma once

#include "colonnade/io/gguf_keys.h"
#include "colonnade/models/decoder_config.h"

namespace colonnade {

/// Appends the keys of the configuration. What GGUF has no key for is left out: compare what
/// read_config makes of the keys (config_difference).
void add_config_keys(const DecoderConfig& config, GgufKeys& keys);

/// What two configurations of one architecture differ in, for a message; null if in nothing that
/// changes an answer.
const char* config_difference(const DecoderConfig& a, const DecoderConfig& b);

}  // namespace colonnade
