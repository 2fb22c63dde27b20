// Mailbox: a stream of bytes from one rank to another, through a ring in memory that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace colonnade {

/// A view of kBytes of shared memory. One rank writes, another reads, at the same time.
class Mailbox {
 public:
  static constexpr int64_t kRing = 64 * 1024;

  struct alignas(128) End {
    std::atomic<int64_t> bytes{0};  // that have passed it since the start
  };
  static constexpr int64_t kBytes = kRing + 4096;  // whole pages; the ends stand in the first

  explicit Mailbox(std::byte* memory) : memory_(memory) {}

  /// Empty; before the ranks see it.
  void clear() const;

  /// Bytes that can be written and read now.
  int64_t room() const { return kRing - filled(); }
  int64_t filled() const {
    // seq_cst: WaitPoint's contract; they also order the ring's bytes.
    const int64_t taken = taken_end().bytes.load(std::memory_order_seq_cst);
    return put_end().bytes.load(std::memory_order_seq_cst) - taken;
  }

  /// As much of `bytes` as there is room for; returns how much.
  int64_t put(std::span<const std::byte> bytes) const;
  /// As much as there is, at most into.size(); returns how much.
  int64_t take(std::span<std::byte> into) const;

 private:
  End& put_end() const { return reinterpret_cast<End*>(memory_)[0]; }
  End& taken_end() const { return reinterpret_cast<End*>(memory_)[1]; }
  std::byte* ring() const { return memory_ + (kBytes - kRing); }

  std::byte* memory_;
};

/// Stands in front of each message.
struct MailHeader {
  int64_t bytes;
  int64_t tag;
};

/// The messages of one sender as they come out of its mailbox, kept until somebody asks for their
/// tag.
class MailSorter {
 public:
  /// Takes all that is in `mailbox`; true if that was something.
  bool take_from(const Mailbox& mailbox);
  /// The oldest whole message with `tag`.
  std::optional<std::vector<std::byte>> find(int tag);

 private:
  struct Message {
    int64_t tag;
    std::vector<std::byte> bytes;
  };

  bool fill(const Mailbox& mailbox, std::span<std::byte> all);

  std::deque<Message> whole_;
  MailHeader header_{};
  std::vector<std::byte> bytes_;  // of the message that is coming
  int64_t came_ = 0;              // bytes of its header, then of its own
  bool has_header_ = false;
};

}  // namespace colonnade
