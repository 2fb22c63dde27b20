#include "colonnade/models/family.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

/// `known`: names besides those of the families, for the message.
const Family& find(const std::string& name, const char* Family::*field, const char* what,
                   std::set<std::string_view> known) {
  for (const Family* family : families()) {
    if (family->*field == name) return *family;
    known.insert(family->*field);
  }
  std::string list;
  for (const std::string_view one : known) list += (list.empty() ? "" : ", ") + std::string(one);
  throw Error(
      concat("model: ", what, " ", quote(name), " is not supported; supported are: ", list));
}

}  // namespace

std::span<const ImageModel> image_models() {
  static constexpr ImageModel kAll[] = {{"gemma3", "gemma3_text"}, {"mistral3", "mistral"}};
  return kAll;
}

const std::vector<const Family*>& families() {
  static const std::vector<const Family*> all = {&kLlama,    &kMistral, &kQwen2,  &kQwen3,
                                                 &kQwen3Moe, &kGptOss,  &kGemma2, &kGemma3,
                                                 &kOpt,      &kGpt2,    &kBloom,  &kPhi3};
  return all;
}

const Family& family_of_architecture(const std::string& architecture) {
  return find(architecture, &Family::architecture, "architecture", {});
}

const Family& family_of_model_type(const std::string& model_type) {
  std::set<std::string_view> known;
  for (const ImageModel& model : image_models()) known.insert(model.model_type);
  return find(model_type, &Family::model_type, "model_type", std::move(known));
}

void refuse_unless(const HfConfig& fields, const char* name, bool supported) {
  if (fields.flag_or(name, supported) != supported)
    fields.refuse(
        name, supported ? "true: nothing else is supported" : "false: nothing else is supported");
}

int64_t size_within(const HfConfig& fields, const char* name, int64_t most) {
  const int64_t value = fields.integer(name);
  if (value < 1 || value > most) fields.refuse(name, concat("1 to ", most));
  return value;
}

void read_experts(const HfConfig& fields, const char* hidden, DecoderConfig& c) {
  const char* count = fields.has("num_experts") ? "num_experts" : "num_local_experts";
  c.experts = size_within(fields, count, 4096);
  c.experts_per_token = static_cast<int>(
      size_within(fields, "num_experts_per_tok", std::min<int64_t>(c.experts, 64)));
  c.expert_ffn_dim = size_within(fields, hidden, int64_t{1} << 24);
  for (LayerKind& kind : c.kinds) kind.experts = true;
}

void give_windows(DecoderConfig& config, int64_t window, int64_t period) {
  config.kinds.assign(static_cast<size_t>(config.layers), {});
  for (int64_t i = 0; i < config.layers; ++i) {
    if (window == 0 || (period > 0 && (i + 1) % period == 0)) continue;
    LayerKind& kind = config.kinds[static_cast<size_t>(i)];
    kind.window = window;
    kind.local_rope = config.local_rope_theta > 0;
  }
}

}  // namespace colonnade
