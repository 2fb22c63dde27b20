// A tiny model (tests/support/tiny_model.h) loaded as a session loads one, for tests of the layers
// below it. Include it only where the folder links models.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"

#include "colonnade/comm/group.h"
#include "colonnade/device/devices.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/models/decoder.h"
#include "colonnade/models/gguf_config.h"
#include "colonnade/models/loader.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade::test {

struct LoadedModel {
  explicit LoadedModel(const TinyShape& shape = {}, Tier tier = Tier::int8, Cut cut = {})
      : file(folder.write("tiny.gguf", tiny_model(shape))),
        source(file),
        config(read_config(file.metadata(), source)),
        params(source, std::move(cut)),
        decoder(params, config),
        device(make_device({.threads = 2})),
        workspace(*device) {
    load_params(params, *device, tier, {});
  }

  Ctx cx() { return {*device, workspace, {&group}, {}}; }
  KvLayout layout() const {
    return {config.layers, decoder.heads().kv_heads.size(), config.head_dim, DType::f32};
  }

  TemporaryFolder folder;
  GgufFile file;
  GgufSource source;
  DecoderConfig config;
  ParamSet params;
  Decoder decoder;
  SoloGroup group;
  std::unique_ptr<Device> device;
  Workspace workspace;
};

}  // namespace colonnade::test
