#include "colonnade/models/family.h"

namespace colonnade {

// Biases of q, k and v are found by their names; rows stand as half rotation wants them.
const Family kQwen2 = {"qwen2", [](const GgufMetadata&, DecoderConfig&) {}};

}  // namespace colonnade
