// Families: which GGUF architectures there are, and how their metadata becomes a DecoderConfig. A
// family's file holds keys and names, no arithmetic.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "colonnade/io/gguf_metadata.h"
#include "colonnade/io/tensor_source.h"
#include "colonnade/models/decoder_config.h"
#include "colonnade/models/tensor_names.h"

namespace colonnade {

struct Family {
  const char* architecture;  // general.architecture
  /// Changes what the family does otherwise than the common keys say.
  void (*configure)(const GgufMetadata& metadata, DecoderConfig& config);
  /// Names that GGUF files have and the layers do not ask for.
  std::span<const NameRule> gguf_names = {};
};

/// llama (1, 2, 3.x, SmolLM2, Mistral), qwen2, qwen3.
extern const Family kLlama;
extern const Family kQwen2;
extern const Family kQwen3;

/// All families, in the order of messages.
const std::vector<const Family*>& families();

/// Throws Error that lists the families unless the model is of one of them.
void check_architecture(const GgufMetadata& metadata);

/// Family::gguf_names of a supported architecture.
std::span<const NameRule> gguf_names(const std::string& architecture);

/// The configuration of a GGUF model. Throws Error that names the key for what is missing, out of
/// range, or unknown (architecture, rotary scaling), with what is known.
DecoderConfig read_config(const GgufMetadata& metadata, const TensorSource& tensors);

}  // namespace colonnade
