#include "colonnade/engine/sequence_cache.h"

#include <algorithm>

namespace colonnade {
namespace {

int64_t pages_for(int64_t tokens) { return (tokens + kPagePositions - 1) / kPagePositions; }

}  // namespace

int64_t SequenceCache::common_prefix(std::span<const int32_t> other) const {
  const auto parted = std::mismatch(tokens_.begin(), tokens_.end(), other.begin(), other.end());
  return parted.first - tokens_.begin();
}

void SequenceCache::truncate(int64_t size) {
  if (size >= this->size()) return;
  tokens_.resize(static_cast<size_t>(size));
  while (static_cast<int64_t>(pages_.size()) > pages_for(size)) {
    pool_.give_back(pages_.back());
    pages_.pop_back();
  }
}

void SequenceCache::append(std::span<const int32_t> tokens) {
  const int64_t needed = pages_for(size() + static_cast<int64_t>(tokens.size()));
  pool_.reserve(needed - static_cast<int64_t>(pages_.size()));
  while (static_cast<int64_t>(pages_.size()) < needed) pages_.push_back(pool_.take());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

void SequenceCache::reserve(int64_t size) {
  const int64_t pages = pages_for(size);
  tokens_.reserve(static_cast<size_t>(size));
  pages_.reserve(static_cast<size_t>(pages));
  pool_.reserve(pages - static_cast<int64_t>(pages_.size()));
}

}  // namespace colonnade
