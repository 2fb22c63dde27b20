#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {

// The head dimension is a field of its own.
const Family kQwen3 = {
    .architecture = "qwen3",
    .model_type = "qwen3",
    .configure = [](DecoderConfig& c) { c.qk_norm = true; },
    .hf_names = kLlamaNames,
    .hf_defaults =
        R"({"use_sliding_window": false, "sliding_window": 4096, "max_window_layers": 28,
        "max_position_embeddings": 32768, "head_dim": 128})"};

}  // namespace colonnade
