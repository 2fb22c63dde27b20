#include "colonnade/models/family.h"
#include "colonnade/models/gemma_common.h"

namespace colonnade {

// Source: Gemma Team 2024, "Gemma 2", section 2: every second layer sees a window; soft caps.
const Family kGemma2 = {
    .architecture = "gemma2",
    .model_type = "gemma2",
    .configure =
        [](DecoderConfig& c) {
          configure_gemma(c);
          c.window_period = 2;
        },
    // The first files did not say the window.
    .configure_gguf =
        [](const GgufMetadata& keys, DecoderConfig& c) {
          scale_by_width(c, 46);
          if (!keys.has("gemma2.attention.sliding_window")) give_windows(c, 4096, c.window_period);
        },
    .configure_hf =
        [](const HfConfig& fields, DecoderConfig&) {
          refuse_unless(fields, "use_bidirectional_attention", false);
        },
    .hf_names = kGemmaNames,
    .tied = true,
    .hf_defaults =
        R"({"vocab_size": 256000, "hidden_size": 2304, "intermediate_size": 9216,
        "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4,
        "head_dim": 256, "max_position_embeddings": 8192, "rms_norm_eps": 1e-6,
        "query_pre_attn_scalar": 256, "sliding_window": 4096, "final_logit_softcapping": 30.0,
        "attn_logit_softcapping": 50.0})"};

}  // namespace colonnade
