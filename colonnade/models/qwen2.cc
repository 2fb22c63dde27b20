#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {

// Qwen 2, 2.5. Rows of q and k stand as half rotation wants them, in files of both kinds.
const Family kQwen2 = {
    .architecture = "qwen2",
    .model_type = "qwen2",
    .configure = [](DecoderConfig& c) { c.qkv_bias = true; },
    .hf_names = kLlamaNames,
    .hf_defaults =
        R"({"use_sliding_window": false, "sliding_window": 4096, "max_window_layers": 28,
        "max_position_embeddings": 32768})"};

}  // namespace colonnade
