// The text model of a config.json: all of it, or the part of one that sees images as well.
#pragma once

#include "colonnade/io/hf_config.h"
#include "colonnade/models/family.h"
#include "colonnade/models/tensor_names.h"

namespace colonnade {

struct TextModel {
  HfConfig fields;  // for read_config()
  const Family* family;
  FileNames names;
};

/// Throws Error unless model_type is a family's, or that of a model that sees images around a
/// family that is known: then the fields are those of text_config, and the tensors of the other
/// parts are ignored. Source: transformers, Gemma3Config, Mistral3Config, and the names under which
/// their models were saved before and after version 4.52.
TextModel text_model(const HfConfig& config);

/// The fields that describe the text model, with the defaults of its family if that is known.
HfConfig text_fields(const HfConfig& config);

}  // namespace colonnade
