#include "colonnade/text/merge_table.h"

#include <bit>

namespace colonnade::text {
namespace {

constexpr uint64_t kEmpty = ~uint64_t{0};
constexpr uint64_t kGoldenRatio =
    0x9E3779B97F4A7C15u;  // 2^64 / phi: Fibonacci hashing, Knuth vol. 3, 6.4

uint64_t key_of(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

}  // namespace

MergeTable::MergeTable(size_t count)
    : slots_(std::bit_ceil(2 * count + 2), Slot{kEmpty, {}}),
      shift_(64 - std::countr_zero(slots_.size())) {}

size_t MergeTable::slot_of(uint64_t key) const noexcept {
  // Both halves must reach the top bits that choose the slot.
  size_t slot = ((key ^ key >> 29) * kGoldenRatio) >> shift_;
  while (slots_[slot].key != kEmpty && slots_[slot].key != key)
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

void MergeTable::insert(int32_t left, int32_t right, Merge merge) {
  const uint64_t key = key_of(left, right);
  slots_[slot_of(key)] = {key, merge};
}

const Merge* MergeTable::find(int32_t left, int32_t right) const noexcept {
  const Slot& slot = slots_[slot_of(key_of(left, right))];
  return slot.key == kEmpty ? nullptr : &slot.merge;
}

}  // namespace colonnade::text
