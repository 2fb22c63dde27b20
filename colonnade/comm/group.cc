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
  if (!memory_) {
    memory_.reset(::new (std::align_val_t{kPartAlignment})
                      std::byte[static_cast<size_t>(largest_part_)]);
  }
  return memory_.get();
}

void SoloGroup::fail_together(const Failure& failure) { throw AgreedError(failure.words); }

void SoloGroup::send(std::span<const std::byte>, int peer, int) {
  throw Error(
      concat("send: rank: expected another one of the group, got ", peer, " in a group of one"));
}

std::vector<std::byte> SoloGroup::recv(int peer, int) {
  throw Error(
      concat("recv: rank: expected another one of the group, got ", peer, " in a group of one"));
}

std::unique_ptr<Group> SoloGroup::split(int color, int) {
  return color < 0 ? nullptr : std::make_unique<SoloGroup>(largest_part_);
}

}  // namespace colonnade
