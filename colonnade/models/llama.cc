#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {

// Llama 1, 2, 3.x, SmolLM2. Source: the GGUF specification, "llama": its writers store q and k rows
// for interleaved rotation.
const Family kLlama = {
    .architecture = "llama",
    .model_type = "llama",
    .configure = [](DecoderConfig&) {},
    .configure_gguf = [](const GgufMetadata&, DecoderConfig& c) { c.interleaved_qk = true; },
    .hf_names = kLlamaNames};

// In GGUF files an architecture "llama".
const Family kMistral = {
    .architecture = "llama",
    .model_type = "mistral",
    .configure = [](DecoderConfig&) {},
    .hf_names = kLlamaNames,
    .hf_defaults =
        R"({"sliding_window": 4096, "num_key_value_heads": 8, "max_position_embeddings": 131072})"};

}  // namespace colonnade
