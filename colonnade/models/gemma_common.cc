#include "colonnade/models/gemma_common.h"

#include <cmath>

namespace colonnade {

void configure_gemma(DecoderConfig& c) {
  c.norms_of_outputs = true;
  c.activation = Activation::gelu_tanh;
  c.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(c.dim)));
}

void scale_by_width(DecoderConfig& c, int64_t layers) {
  if (c.layers != layers) return;
  c.attention_scale = 1.0F / std::sqrt(static_cast<float>(c.dim) / static_cast<float>(c.heads));
}

}  // namespace colonnade
