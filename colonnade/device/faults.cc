#include "colonnade/device/faults.h"

#include <algorithm>

#include "colonnade/base/error.h"

namespace colonnade {

void FaultBoard::report_activation(int worker, int64_t sequence, const std::string& layer,
                                   int64_t token) {
  Fault& fault = first_[static_cast<size_t>(worker)];
  if (fault.sequence >= 0 && fault.sequence != sequence) return;
  const bool first = fault.token < 0 || token < fault.token;
  fault.sequence = sequence;
  fault.layer = &layer;
  if (first) fault.token = token;
}

void FaultBoard::report_leaves(int worker, int64_t sequence, const std::string& layer) {
  Fault& fault = first_[static_cast<size_t>(worker)];
  if (fault.sequence >= 0 && fault.sequence != sequence) return;
  fault.sequence = sequence;
  fault.layer = &layer;
}

void FaultBoard::raise() {
  Fault all;
  for (Fault& fault : first_) {
    if (fault.sequence >= 0 && (all.sequence < 0 || fault.sequence < all.sequence)) {
      all = fault;
    } else if (fault.sequence >= 0 && fault.sequence == all.sequence) {
      if (fault.token >= 0)
        all.token = all.token < 0 ? fault.token : std::min(all.token, fault.token);
    }
    fault = Fault{};
  }
  if (all.sequence < 0) return;
  if (all.token >= 0) {
    throw ModelError(
        concat("layer ", *all.layer, ": token ", all.token, ": activation is not finite"),
        all.token);
  }
  throw ModelError(
      concat("layer ", *all.layer,
             ": a leaf's sum is not below 2^20 in magnitude, so the sum over ranks would "
             "not be exact"),
      0);
}

}  // namespace colonnade
