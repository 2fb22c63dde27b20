#include "colonnade/text/token_table.h"

#include <bit>
#include <functional>

namespace colonnade::text {
namespace {

uint64_t hash_of(std::string_view bytes) { return std::hash<std::string_view>()(bytes); }

uint32_t upper_half(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

}  // namespace

TokenTable::TokenTable(const Pieces& pieces)
    : pieces_(pieces),
      slots_(std::bit_ceil(2 * static_cast<size_t>(pieces.size()) + 2), Slot{0, -1}) {}

size_t TokenTable::slot_of(std::string_view bytes, uint64_t hash) const noexcept {
  size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot].token >= 0) {
    const bool found =
        slots_[slot].hash == upper_half(hash) && pieces_.bytes(slots_[slot].token) == bytes;
    if (found) break;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

int32_t TokenTable::insert(int32_t id) {
  const std::string_view bytes = pieces_.bytes(id);
  const uint64_t hash = hash_of(bytes);
  Slot& slot = slots_[slot_of(bytes, hash)];
  if (slot.token >= 0) return slot.token;
  slot = {upper_half(hash), id};
  return -1;
}

int32_t TokenTable::find(std::string_view bytes) const noexcept {
  return slots_[slot_of(bytes, hash_of(bytes))].token;
}

}  // namespace colonnade::text
