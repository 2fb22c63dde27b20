#include "colonnade/models/family.h"

namespace colonnade {

// Norms of q and k are found by their names; the head dimension is a key of its own.
const Family kQwen3 = {"qwen3", [](const GgufMetadata&, DecoderConfig&) {}};

}  // namespace colonnade
