// SequenceCache: one sequence's tokens and the pages that hold their keys and values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/engine/page_pool.h"

namespace colonnade {

class SequenceCache {
 public:
  /// `pool` must outlive it.
  explicit SequenceCache(PagePool& pool) : pool_(pool) {}
  ~SequenceCache() { truncate(0); }
  SequenceCache(const SequenceCache&) = delete;
  SequenceCache& operator=(const SequenceCache&) = delete;

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  std::span<const int32_t> tokens() const { return tokens_; }
  const std::vector<int32_t>& pages() const { return pages_; }

  /// How many tokens `other` begins with that stand here at the same places.
  int64_t common_prefix(std::span<const int32_t> other) const;
  /// Forgets tokens from `size` on; pages that hold none go back.
  void truncate(int64_t size);
  /// Tokens that a step is about to compute; takes the pages that they need. Throws Error if there
  /// is no memory; nothing has changed then.
  void append(std::span<const int32_t> tokens);
  /// Room for `size` tokens in all without asking for memory.
  void reserve(int64_t size);

 private:
  PagePool& pool_;
  std::vector<int32_t> tokens_;
  std::vector<int32_t> pages_;
};

}  // namespace colonnade
