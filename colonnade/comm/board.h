// Board: what the ranks of one group write and the others read, in memory that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "colonnade/comm/mailbox.h"

namespace colonnade {

/// Parts of an exchange that stand in memory at once: one that is being read, one that is
/// published, one that is being written.
constexpr int kSlots = 3;

/// What a member says; written by it alone. Lines of their own: the prefetcher fetches pairs.
struct alignas(128) MemberLine {
  std::atomic<int64_t> published{0};  // exchanges
  int64_t bytes[kSlots] = {};         // of its parts; -1: a failure stands there
  uint64_t history = 0;               // of its operations, told every kHistoryPeriod exchanges
};

/// What a member is in, for checked groups.
struct alignas(128) MemberTalk {
  static constexpr size_t kName = 104;

  std::atomic<int64_t> told{0};  // exchanges
  char operation[kSlots][kName] = {};
};

/// How much of the shared memory a board takes, and where its parts are.
class BoardLayout {
 public:
  BoardLayout(int members, int64_t part_bytes);

  int members() const { return members_; }
  int64_t part_bytes() const { return part_bytes_; }
  int64_t bytes() const { return bytes_; }
  int64_t slots_at() const { return slots_at_; }
  int64_t mail_at() const { return mail_at_; }

 private:
  int members_;
  int64_t part_bytes_;  // whole pages
  int64_t slots_at_;
  int64_t mail_at_;
  int64_t bytes_;
};

/// A view; the segment owns the memory.
class Board {
 public:
  Board(const BoardLayout& layout, std::byte* memory) : layout_(layout), memory_(memory) {}

  /// Makes it a board that nobody has written on; before the others see it. Mailboxes stand in
  /// pages of their own: fresh memory, which is zero, is not touched for them.
  void clear_lines() const;
  void clear_mailboxes() const;

  int members() const { return layout_.members(); }
  int64_t part_bytes() const { return layout_.part_bytes(); }
  MemberLine& line(int member) const { return reinterpret_cast<MemberLine*>(memory_)[member]; }
  MemberTalk& talk(int member) const {
    return reinterpret_cast<MemberTalk*>(memory_ + members() * sizeof(MemberLine))[member];
  }
  /// Where `member` writes its part of exchange `number`.
  std::byte* slot(int member, int64_t number) const {
    return memory_ + layout_.slots_at() + (member * kSlots + number % kSlots) * part_bytes();
  }
  Mailbox mailbox(int from, int to) const {
    return Mailbox(memory_ + layout_.mail_at() + (from * members() + to) * Mailbox::kBytes);
  }

 private:
  BoardLayout layout_;
  std::byte* memory_;
};

}  // namespace colonnade
