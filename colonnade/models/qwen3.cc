#include "colonnade/models/family.h"
#include "colonnade/models/llama_names.h"

namespace colonnade {

// The head dimension is a field of its own.
const Family kQwen3 = {.architecture = "qwen3",
                       .model_type = "qwen3",
                       .configure = [](DecoderConfig& c) { c.qk_norm = true; },
                       .hf_names = kLlamaNames};

}  // namespace colonnade
