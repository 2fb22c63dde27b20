// Which forms of an activation its consumers read, and how ops hand activations to commands.
#pragma once

#include <initializer_list>

#include "colonnade/tensor/activations.h"
#include "colonnade/tensor/commands.h"
#include "colonnade/tensor/ctx.h"

namespace colonnade {

/// What a set of weights reads.
struct Forms {
  bool values = false;           // some weight reads f32
  const Weight* plan = nullptr;  // the first weight that reads codes, or null
};

/// Throws Error unless the consumers' K is `k` and those with codes agree on runs and tier.
Forms forms_for(std::initializer_list<const Weight*> consumers, int64_t k);

/// One copy per worker where writing it everywhere is cheaper than a meeting, else 1.
int64_t replicas_for(const Device& device, int64_t tokens, int64_t k);

/// Storage for `forms` of [tokens, k].
Activations make_activations(Ctx& cx, const Forms& forms, int64_t tokens, int64_t k,
                             int64_t replicas);

ActivationsRef ref(const Activations& activations);

/// `x` has the form that `weight` reads.
bool has_form(const Activations& x, const Weight& weight);

/// Throws Error unless has_form.
void check_form(const char* op, const Activations& x, const Weight& weight);

}  // namespace colonnade
