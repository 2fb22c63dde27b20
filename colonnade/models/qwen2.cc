#include "colonnade/models/family.h"

namespace colonnade {

// Rows of q and k stand as half rotation wants them.
const Family kQwen2 = {"qwen2",
                       [](const GgufMetadata&, DecoderConfig& config) { config.qkv_bias = true; }};

}  // namespace colonnade
