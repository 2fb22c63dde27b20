#include "colonnade/ops/forms.h"

#include "colonnade/base/error.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

/// Elements that a worker normalises and quantises in the time of a meeting: about 2 us at 8 a
/// nanosecond.
constexpr int64_t kReplicatedElements = 16384;

}  // namespace

Forms forms_for(std::initializer_list<const Weight*> consumers, int64_t k) {
  Forms forms;
  for (const Weight* weight : consumers) {
    if (weight == nullptr) continue;  // a product that the layer does without
    CN_CHECK(weight->k() == k, "layer ", weight->name(), ": activations: expected ", weight->k(),
             " columns, got ", k);
    if (!weight->wants_codes()) {
      forms.values = true;
      continue;
    }
    if (forms.plan == nullptr) forms.plan = weight;
    CN_CHECK(weight->tier() == forms.plan->tier() && same_runs(weight->plan(), forms.plan->plan()),
             "layers ", forms.plan->name(), " and ", weight->name(),
             " share activations: expected the same precision and runs, got ",
             name_of(forms.plan->tier()), " and ", name_of(weight->tier()));
  }
  return forms;
}

int64_t replicas_for(const Device& device, int64_t tokens, int64_t k) {
  return tokens * k <= kReplicatedElements ? device.workers() : 1;
}

Activations make_activations(Ctx& cx, const Forms& forms, int64_t tokens, int64_t k,
                             int64_t replicas) {
  Activations made;
  made.tokens = tokens;
  made.k = k;
  made.replicas = replicas;
  if (forms.values) made.values = cx.workspace.tensor({replicas, tokens, k});
  if (forms.plan != nullptr) {
    const int64_t bytes = cx.device.codes_bytes(*forms.plan, tokens);
    made.codes = cx.workspace.tensor({replicas, bytes}, DType::u8);
    made.plan = forms.plan;
  }
  return made;
}

ActivationsRef ref(const Activations& activations) {
  ActivationsRef result;
  if (activations.values) result.values = activations.values.f32();
  if (activations.codes) result.codes = reinterpret_cast<std::byte*>(activations.codes.u8());
  result.plan = activations.plan;
  result.tokens = activations.tokens;
  result.k = activations.k;
  result.replicas = activations.replicas;
  return result;
}

bool has_form(const Activations& x, const Weight& weight) {
  if (weight.k() != x.k) return false;
  if (!weight.wants_codes()) return static_cast<bool>(x.values);
  return x.codes && x.plan->tier() == weight.tier() && same_runs(x.plan->plan(), weight.plan());
}

void check_form(const char* op, const Activations& x, const Weight& weight) {
  CN_CHECK(weight.k() == x.k, op, ": layer ", weight.name(), ": activations: expected ", weight.k(),
           " columns, got ", x.k);
  const bool has = has_form(x, weight);
  CN_CHECK(has || weight.wants_codes(), op, ": layer ", weight.name(),
           " reads f32 activations, got only codes");
  CN_CHECK(has, op, ": layer ", weight.name(), " reads ", name_of(weight.tier()),
           " codes in its own runs, got ",
           x.codes ? concat("codes made for ", x.plan->name()) : std::string("f32 values"));
}

}  // namespace colonnade
