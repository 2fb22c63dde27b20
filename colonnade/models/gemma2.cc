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
    .configure_gguf = [](const GgufMetadata&, DecoderConfig& c) { scale_by_width(c, 46); },
    .hf_names = kGemmaNames,
    .tied = true};

}  // namespace colonnade
