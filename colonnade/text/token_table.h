// Which token stands for some bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "colonnade/text/pieces.h"

namespace colonnade::text {

/// Bytes -> token, over the pieces that were inserted. A look-up is one cache line for the slot and
/// one for the piece: a vocabulary asks half a million times while it is loaded.
class TokenTable {
 public:
  /// For up to `pieces.size()` tokens; `pieces` must outlive it.
  explicit TokenTable(const Pieces& pieces);

  /// The token that has the same bytes as `id` already; -1, and now it is `id`, if there was none.
  int32_t insert(int32_t id);

  /// -1 if no token stands for `bytes`.
  int32_t find(std::string_view bytes) const noexcept;

 private:
  struct Slot {
    uint32_t hash;  // its upper half: what does not choose the slot
    int32_t token;  // -1: empty
  };

  // The slot that has `bytes`, or the empty one where they would be.
  size_t slot_of(std::string_view bytes, uint64_t hash) const noexcept;

  const Pieces& pieces_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace colonnade::text
