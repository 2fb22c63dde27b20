#include "colonnade/models/family.h"

namespace colonnade {

// The head dimension is a key of its own.
const Family kQwen3 = {"qwen3",
                       [](const GgufMetadata&, DecoderConfig& config) { config.qk_norm = true; }};

}  // namespace colonnade
