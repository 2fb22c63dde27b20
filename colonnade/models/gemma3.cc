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
    .tied = true};

}  // namespace colonnade
