#include "colonnade/comm/rank_mail.h"

#include <functional>

#include "colonnade/base/error.h"

namespace colonnade {

RankMail::RankMail(RankSeat& seat, const Board& board, const GroupMembers& members)
    : seat_(seat),
      board_(board),
      members_(members),
      self_(members.member_of(seat.rank())),
      from_(static_cast<size_t>(members.size())) {}

void RankMail::check_peer(const char* operation, int peer) const {
  CN_CHECK(peer >= 0 && peer < members_.size() && peer != self_, operation,
           ": rank: expected another one of 0 to ", members_.size() - 1, ", got ", peer,
           " on rank ", self_);
  seat_.require_life();
}

void RankMail::send(std::span<const std::byte> bytes, int peer, int tag) {
  check_peer("send", peer);
  const MailHeader header{static_cast<int64_t>(bytes.size()), tag};
  put(std::as_bytes(std::span(&header, 1)), peer, tag);
  put(bytes, peer, tag);
}

void RankMail::put(std::span<const std::byte> bytes, int peer, int tag) {
  const Mailbox mailbox = board_.mailbox(self_, peer);
  while (!bytes.empty()) {
    bytes = bytes.subspan(static_cast<size_t>(mailbox.put(bytes)));
    seat_.segment().wake(members_.rank_of(peer));
    if (bytes.empty()) return;
    wait("send", peer, tag, true);
    take();
  }
}

std::vector<std::byte> RankMail::recv(int peer, int tag) {
  check_peer("recv", peer);
  for (;;) {
    take();
    std::optional<std::vector<std::byte>> message = from_[static_cast<size_t>(peer)].find(tag);
    if (message) return std::move(*message);
    wait("recv", peer, tag, false);
  }
}

void RankMail::take() {
  for (int m = 0; m < members_.size(); ++m) {
    if (m == self_) continue;
    if (!from_[static_cast<size_t>(m)].take_from(board_.mailbox(m, self_))) continue;
    seat_.segment().wake(members_.rank_of(m));  // there is room again
  }
}

bool RankMail::anything_came() const {
  for (int m = 0; m < members_.size(); ++m) {
    if (m != self_ && board_.mailbox(m, self_).filled() > 0) return true;
  }
  return false;
}

void RankMail::wait(const char* operation, int peer, int tag, bool room) {
  const auto ready = [&] {
    return anything_came() || (room && board_.mailbox(self_, peer).room() > 0);
  };
  const std::function<bool(int)> missing = [&](int rank) {
    return members_.member_of(rank) == peer && !ready();
  };
  seat_.wait(ready, {operation, room ? "to it, tag" : "from it, tag", tag, missing});
}

}  // namespace colonnade
