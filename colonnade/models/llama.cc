#include "colonnade/models/family.h"

namespace colonnade {

// Source: the GGUF specification, "llama"; its writers store q and k rows for interleaved rotation.
const Family kLlama = {
    "llama", [](const GgufMetadata&, DecoderConfig& config) { config.interleaved_qk = true; }};

}  // namespace colonnade
