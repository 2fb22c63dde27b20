#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {

// The head dimension is a field of its own.
const Family kQwen3 = {.architecture = "qwen3",
                       .model_type = "qwen3",
                       .configure = [](DecoderConfig& c) { c.qk_norm = true; },
                       .hf_names = kLlamaNames};

}  // namespace colonnade
