// Rotary position embedding: frequencies with their scalings, and the table of cosines and sines.
#pragma once

#include <cstdint>
#include <vector>

#include "colonnade/models/decoder_config.h"
#include "colonnade/ops/attention.h"
#include "colonnade/tensor/device.h"

namespace colonnade {

/// Inverse frequencies [rotary / 2] f32, stretched as the configuration says, and the factor that
/// multiplies cosines and sines.
struct RopeFrequencies {
  std::vector<float> inverse;
  float attention_factor = 1;
};
/// Source: Su et al. 2021, "RoFormer"; Peng et al. 2023, "YaRN", section 3.
RopeFrequencies rope_frequencies(const DecoderConfig& config);

/// Llama 3.1's bands: long wavelengths are divided by the factor, short ones kept, those between
/// blended.
struct Llama3Bands {
  double factor = 1;
  double original_context = 0;
  double low_frequency_factor = 1;
  double high_frequency_factor = 4;
};
/// DecoderConfig::rope_factors for them, as GGUF files hold them too: [rotary / 2]. Source: Llama
/// 3.1's model card.
std::vector<float> llama3_factors(const DecoderConfig& config, const Llama3Bands& bands);

/// Rows [table's positions, positions) are added: angle = f32(position) * inverse in f32, cosine
/// and sine in f64 rounded to f32. Does nothing if the table reaches that far. Tensors are
/// replaced: no step may be running.
void extend_rope_table(Device& device, const RopeFrequencies& frequencies, int64_t positions,
                       RopeTable& table);

}  // namespace colonnade
