#include "colonnade/comm/board.h"

#include <new>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kLargest = int64_t{1} << 48;  // no address space holds more

int64_t whole_pages(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

BoardLayout::BoardLayout(int members, int64_t part_bytes) : members_(members) {
  CN_CHECK(members >= 1, "shared memory: ranks: expected at least 1, got ", members);
  CN_CHECK(part_bytes >= 1 && part_bytes <= kLargest / members / kSlots,
           "shared memory: bytes per part: expected 1 to ", kLargest / members / kSlots, ", got ",
           part_bytes);
  part_bytes_ = whole_pages(part_bytes);
  slots_at_ = whole_pages(members * static_cast<int64_t>(sizeof(MemberLine) + sizeof(MemberTalk)));
  mail_at_ = slots_at_ + members * kSlots * part_bytes_;
  bytes_ = mail_at_ + int64_t{members} * members * Mailbox::kBytes;
}

void Board::clear_lines() const {
  for (int m = 0; m < members(); ++m) {
    ::new (&line(m)) MemberLine;
    ::new (&talk(m)) MemberTalk;
  }
}

void Board::clear_mailboxes() const {
  for (int from = 0; from < members(); ++from) {
    for (int to = 0; to < members(); ++to) mailbox(from, to).clear();
  }
}

}  // namespace colonnade
