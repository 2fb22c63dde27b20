// Families: which architectures there are, and what each does otherwise than the common fields of a
// file say. A family's file holds fields and names, no arithmetic.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/io/gguf_keys.h"
#include "colonnade/io/gguf_metadata.h"
#include "colonnade/io/hf_config.h"
#include "colonnade/models/decoder_config.h"
#include "colonnade/models/tensor_names.h"

namespace colonnade {

struct Family {
  const char* architecture;  // general.architecture of a GGUF file
  const char* model_type;    // of config.json
  /// Change what the family does otherwise than the common keys (gguf_config.cc) and fields
  /// (hf_decoder_config.cc) say. What both kinds of files have in common goes first.
  void (*configure)(DecoderConfig& config);
  void (*configure_gguf)(const GgufMetadata& metadata, DecoderConfig& config) = nullptr;
  void (*configure_hf)(const HfConfig& fields, DecoderConfig& config) = nullptr;
  /// Appends the keys that configure_gguf reads.
  void (*add_gguf_keys)(const DecoderConfig& config, GgufKeys& keys) = nullptr;
  /// Names that files have and the layers do not ask for.
  std::span<const NameRule> gguf_names = {};
  std::span<const NameRule> hf_names = {};
  std::span<const NamePrefix> hf_prefixes = {};  // that names of files may have and rules do not
  bool tied = false;  // embedding and head, where config.json does not say
  /// Of a config.json: JSON of the fields that may be left out, where their values are not those
  /// of hf_decoder_config.cc. Source: the defaults of transformers' configuration class.
  const char* hf_defaults = "{}";
};

extern const Family kLlama, kMistral, kQwen2, kQwen3, kQwen3Moe, kGemma2, kGemma3, kGptOss, kOpt,
    kGpt2, kBloom, kPhi3;

/// A model that sees images around a text model of a family: model_type, and that of its
/// text_config.
struct ImageModel {
  std::string_view model_type;
  std::string_view text_type;
};
/// Those whose text is read.
std::span<const ImageModel> image_models();

/// All families, in the order of messages.
const std::vector<const Family*>& families();

/// Throw Error that lists the families unless there is one of this name.
const Family& family_of_architecture(const std::string& architecture);
const Family& family_of_model_type(const std::string& model_type);

/// Throws Error unless the field is absent or `supported`.
void refuse_unless(const HfConfig& fields, const char* name, bool supported);

/// Throws Error unless the field is there and is from 1 to `most`.
int64_t size_within(const HfConfig& fields, const char* name, int64_t most);

/// The experts' fields of a config.json; `hidden` names that of an expert's width. All layers have
/// experts afterwards.
void read_experts(const HfConfig& fields, const char* hidden, DecoderConfig& config);

/// Makes the list of layer kinds. Layers whose number + 1 is a multiple of `period` see all
/// positions, the others `window` of them (0: all), and rotate locally if the configuration has a
/// base for that. Period 0: all layers have the window.
void give_windows(DecoderConfig& config, int64_t window, int64_t period);

}  // namespace colonnade
