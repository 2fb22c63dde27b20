#include "colonnade/models/text_model.h"

#include <algorithm>
#include <string>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr NamePrefix kTextPrefixes[] = {{"language_model.", ""},
                                        {"model.language_model.", "model."}};
constexpr const char* kOtherParts[] = {"vision_tower.", "multi_modal_projector.",
                                       "model.vision_tower.", "model.multi_modal_projector."};

const ImageModel* image_model_of(const HfConfig& config) {
  const std::string type = config.text_or("model_type", "");
  const auto found = std::ranges::find_if(
      image_models(), [&](const ImageModel& m) { return m.model_type == type; });
  return found == image_models().end() ? nullptr : &*found;
}

/// text_config leaves out what is its class's default: its model_type too, in old files.
HfConfig fields_inside(const HfConfig& config, const ImageModel& model) {
  const HfConfig inside = config.object("text_config")
                              .with_defaults(concat("{\"model_type\": \"", model.text_type, "\"}"));
  if (!config.has("tie_word_embeddings")) return inside;
  const bool tied = config.flag("tie_word_embeddings");
  return inside.with_defaults(concat("{\"tie_word_embeddings\": ", tied ? "true" : "false", "}"));
}

}  // namespace

TextModel text_model(const HfConfig& config) {
  if (const ImageModel* model = image_model_of(config)) {
    const HfConfig fields = fields_inside(config, *model);
    const Family& family = family_of_model_type(fields.text("model_type"));
    return {fields, &family, {family.hf_names, kTextPrefixes, kOtherParts}};
  }
  const Family& family = family_of_model_type(config.text("model_type"));
  return {config, &family, {family.hf_names, family.hf_prefixes, {}}};
}

HfConfig text_fields(const HfConfig& config) {
  const ImageModel* model = image_model_of(config);
  const HfConfig fields = model == nullptr ? config : fields_inside(config, *model);
  const std::string type = fields.text_or("model_type", "");
  for (const Family* family : families()) {
    if (type == family->model_type) return fields.with_defaults(family->hf_defaults);
  }
  return fields;
}

}  // namespace colonnade
