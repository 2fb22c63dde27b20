#include "colonnade/models/family.h"
#include "colonnade/models/gemma_common.h"

namespace colonnade {

// Source: Gemma Team 2025, "Gemma 3", section 2: five layers with a window and a rotation of their
// own to one that sees all; norms of q and k in place of soft caps.
const Family kGemma3 = {
    .architecture = "gemma3",
    .model_type = "gemma3_text",
    .configure =
        [](DecoderConfig& c) {
          configure_gemma(c);
          c.qk_norm = true;
          c.window_period = 6;
          c.local_rope_theta = 10000;
        },
    .configure_gguf = [](const GgufMetadata&, DecoderConfig& c) { scale_by_width(c, 62); },
    .configure_hf =
        [](const HfConfig& fields, DecoderConfig&) {
          refuse_unless(fields, "use_bidirectional_attention", false);
        },
    .hf_names = kGemmaNames,
    .tied = true,
    .hf_defaults =
        R"({"vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216,
        "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4,
        "head_dim": 256, "max_position_embeddings": 131072, "rms_norm_eps": 1e-6,
        "query_pre_attn_scalar": 256, "sliding_window": 4096, "rope_theta": 1000000.0})"};

}  // namespace colonnade
