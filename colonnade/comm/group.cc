#include "colonnade/comm/group.h"

namespace colonnade {

Failure Failure::of(const std::exception& error) {
  Failure failure;
  failure.words = error.what();
  if (const auto* of_model = dynamic_cast<const ModelError*>(&error)) {
    failure.of_model = true;
    failure.row = of_model->row();
  }
  return failure;
}

SoloGroup::SoloGroup(int64_t largest_part) : largest_part_(largest_part) {}

std::byte* SoloGroup::outbox() {
  // Few callers of a group of one want it.
  if (!memory_) memory_ = std::make_unique<std::byte[]>(static_cast<size_t>(largest_part_));
  return memory_.get();
}

void SoloGroup::fail_together(const Failure& failure) { throw AgreedError(failure.words); }

}  // namespace colonnade
