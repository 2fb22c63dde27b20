#include "colonnade/comm/mailbox.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace colonnade {

void Mailbox::clear() const {
  ::new (&put_end()) End;
  ::new (&taken_end()) End;
}

int64_t Mailbox::put(std::span<const std::byte> bytes) const {
  const int64_t count = std::min(static_cast<int64_t>(bytes.size()), room());
  if (count == 0) return 0;
  const int64_t before = put_end().bytes.load(std::memory_order_relaxed);  // own
  const int64_t at = before % kRing;
  const int64_t first = std::min(count, kRing - at);
  std::memcpy(ring() + at, bytes.data(), static_cast<size_t>(first));
  std::memcpy(ring(), bytes.data() + first, static_cast<size_t>(count - first));
  put_end().bytes.store(before + count, std::memory_order_seq_cst);
  return count;
}

int64_t Mailbox::take(std::span<std::byte> into) const {
  const int64_t count = std::min(static_cast<int64_t>(into.size()), filled());
  if (count == 0) return 0;
  const int64_t before = taken_end().bytes.load(std::memory_order_relaxed);  // own
  const int64_t at = before % kRing;
  const int64_t first = std::min(count, kRing - at);
  std::memcpy(into.data(), ring() + at, static_cast<size_t>(first));
  std::memcpy(into.data() + first, ring(), static_cast<size_t>(count - first));
  taken_end().bytes.store(before + count, std::memory_order_seq_cst);
  return count;
}

/// Goes on filling `all`, of which came_ bytes are there; true if it is full.
bool MailSorter::fill(const Mailbox& mailbox, std::span<std::byte> all) {
  came_ += mailbox.take(all.subspan(static_cast<size_t>(came_)));
  return came_ == static_cast<int64_t>(all.size());
}

bool MailSorter::take_from(const Mailbox& mailbox) {
  if (mailbox.filled() == 0) return false;
  for (;;) {
    if (!has_header_) {
      if (!fill(mailbox, std::as_writable_bytes(std::span(&header_, 1)))) return true;
      has_header_ = true;
      came_ = 0;
      bytes_.resize(static_cast<size_t>(header_.bytes));
    }
    if (!fill(mailbox, bytes_)) return true;
    whole_.push_back({header_.tag, std::move(bytes_)});
    bytes_ = {};
    came_ = 0;
    has_header_ = false;
  }
}

std::optional<std::vector<std::byte>> MailSorter::find(int tag) {
  const auto found = std::find_if(whole_.begin(), whole_.end(),
                                  [&](const Message& message) { return message.tag == tag; });
  if (found == whole_.end()) return std::nullopt;
  std::vector<std::byte> bytes = std::move(found->bytes);
  whole_.erase(found);
  return bytes;
}

}  // namespace colonnade
