// RankMail: messages between two ranks of a group that share memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "colonnade/comm/board.h"
#include "colonnade/comm/group_members.h"
#include "colonnade/comm/mailbox.h"
#include "colonnade/comm/rank_seat.h"

namespace colonnade {

/// Who waits, to send or to receive, takes meanwhile what others send it: ranks that only send and
/// receive never wait for each other because a mailbox is full.
class RankMail {
 public:
  RankMail(RankSeat& seat, const Board& board, const GroupMembers& members);

  void send(std::span<const std::byte> bytes, int peer, int tag);
  std::vector<std::byte> recv(int peer, int tag);

 private:
  void check_peer(const char* operation, int peer) const;
  void put(std::span<const std::byte> bytes, int peer, int tag);
  /// Takes what has come from anybody.
  void take();
  bool anything_came() const;
  /// Until something has come, or, when `room`, there is room in the mailbox to `peer`.
  void wait(const char* operation, int peer, int tag, bool room);

  RankSeat& seat_;
  const Board& board_;
  const GroupMembers& members_;
  const int self_;
  std::vector<MailSorter> from_;  // [N]
};

}  // namespace colonnade
