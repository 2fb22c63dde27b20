#include "colonnade/ops/matmul.h"

#include "colonnade/base/error.h"
#include "colonnade/ops/forms.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

/// A worker reads the replica that it wrote itself; the only copy is everybody's work.
Sync sync_for(const Activations& x) { return x.replicas > 1 ? Sync::same_range : Sync::meet; }

MatmulPart part_of(const Term& term, float* y, int64_t stride) {
  CN_CHECK(!term.bias || term.bias.elements() == term.weight->rows(), "layer ", term.weight->name(),
           ": bias: expected [", term.weight->rows(), "], got ", to_string(term.bias.shape()));
  return {.weight = term.weight,
          .y = y,
          .bias = term.bias ? term.bias.f32() : nullptr,
          .stride = stride};
}

bool is_16_bit(const Weight& weight) {
  return weight.format() == WeightFormat::bf16 || weight.format() == WeightFormat::f16;
}

}  // namespace

Activations activations_for(Ctx& cx, const Tensor& x,
                            std::initializer_list<const Weight*> consumers) {
  const Forms forms = forms_for(consumers, x.cols());
  const int64_t replicas = forms.values ? 1 : replicas_for(cx.device, x.rows(), x.cols());
  Activations y = make_activations(cx, Forms{.plan = forms.plan}, x.rows(), x.cols(), replicas);
  if (forms.plan != nullptr) {
    cx.device.launch(QuantizeCommand{.x = x.f32(), .out = ref(y)}, Sync::meet);
  }
  if (forms.values) y.values = x;
  return y;
}

Tensor matmul(Ctx& cx, const Activations& x, std::initializer_list<Term> terms) {
  CN_CHECK(terms.size() >= 1 && terms.size() <= MatmulCommand::kMaxParts,
           "matmul: terms: expected 1 to ", MatmulCommand::kMaxParts, ", got ", terms.size());
  int64_t cols = 0;
  for (const Term& term : terms) {
    check_form("matmul", x, *term.weight);
    cols += term.weight->rows();
  }
  Tensor y = cx.workspace.tensor({x.tokens, cols});
  MatmulCommand command;
  command.x = ref(x);
  float* column = y.f32();
  for (const Term& term : terms) {
    command.parts[command.count++] = part_of(term, column, cols);
    column += term.weight->rows();
  }
  cx.device.launch(command, sync_for(x));
  return y;
}

Activations hidden_matmul(Ctx& cx, const Activations& x, const HiddenLayer& layer,
                          const Weight& consumer) {
  const Term& gate = layer.gate;
  const Term& up = layer.up;
  const int64_t cols = gate.weight->rows();
  check_form("hidden layer", x, *gate.weight);
  if (up.weight != nullptr) {
    CN_CHECK(up.weight->rows() == cols, "layers ", gate.weight->name(), " and ", up.weight->name(),
             ": rows: expected the same number, got ", cols, " and ", up.weight->rows());
    check_form("hidden layer", x, *up.weight);
  }
  CN_CHECK(!layer.scales || layer.scales.elements() == x.tokens, "layer ", gate.weight->name(),
           ": scales: expected [", x.tokens, "], got ", to_string(layer.scales.shape()));
  Forms forms = forms_for({&consumer}, cols);
  // Codes are made column range by column range, which needs runs that begin where a range does.
  const bool codes_here = forms.plan != nullptr && consumer.plan().uniform();
  if (!codes_here) forms.plan = nullptr;
  forms.values = false;  // they stay where gate was
  const Tensor gated = cx.workspace.tensor({x.tokens, cols});
  const Tensor raised = up.weight != nullptr ? cx.workspace.tensor({x.tokens, cols}) : Tensor{};
  Activations h = make_activations(cx, forms, x.tokens, cols, 1);

  // 32 rows: an activation group; 64 where four panels stand in one stream.
  const bool streams_of_four =
      is_16_bit(*gate.weight) || (up.weight != nullptr && is_16_bit(*up.weight));
  const int64_t unit = streams_of_four ? 64 : 32;
  MatmulCommand product;
  product.x = ref(x);
  product.paired_rows = unit;
  product.parts[product.count++] = part_of(gate, gated.f32(), cols);
  if (raised) product.parts[product.count++] = part_of(up, raised.f32(), cols);
  cx.device.launch(product, sync_for(x));
  cx.device.launch(GluCommand{.gate = gated.f32(),
                              .up = raised ? raised.f32() : nullptr,
                              .scales = layer.scales ? layer.scales.f32() : nullptr,
                              .paired_rows = unit,
                              .kind = layer.activation,
                              .out = ref(h)},
                   Sync::same_range);
  if (consumer.wants_codes() && !codes_here) return activations_for(cx, gated, {&consumer});
  if (!consumer.wants_codes() || cx.probe) h.values = gated;
  return h;
}

}  // namespace colonnade
