#include "colonnade/nn/param.h"

#include <utility>

#include "colonnade/tensor/k_plan.h"

namespace colonnade {

int64_t ParamSet::sharded_leaf(const std::string& name, int64_t k) const {
  const TensorEntry* entry = source_.find(name);
  const bool grouped = entry != nullptr && is_grouped(entry->format);
  return leaf_size(k, grouped ? 32 : 1);
}

void ParamSet::add(MatrixParam param) { matrices_.push_back(std::move(param)); }

void ParamSet::add(VectorParam param, Presence presence) {
  if (presence == Presence::optional && !has(param.name)) return;
  vectors_.push_back(std::move(param));
}

}  // namespace colonnade
