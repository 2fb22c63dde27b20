#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {

// Qwen 2, 2.5. Rows of q and k stand as half rotation wants them, in files of both kinds.
const Family kQwen2 = {.architecture = "qwen2",
                       .model_type = "qwen2",
                       .configure = [](DecoderConfig& c) { c.qkv_bias = true; },
                       .hf_names = kLlamaNames};

}  // namespace colonnade
