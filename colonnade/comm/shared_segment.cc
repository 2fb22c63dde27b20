#include "colonnade/comm/shared_segment.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int kMostBoards = 256;
/// Room for groups made by split(), in boards of all ranks. Of address space: untouched pages take
/// no memory. Where even that is limited (ulimit -v), less.
constexpr int64_t kSpareBoards[] = {15, 3, 0};

constexpr int32_t kNobody = -1;
constexpr int32_t kBeingWritten = -2;

struct alignas(128) Bell {
  WaitPoint point{Sharing::machine};
};

struct alignas(128) Ending {
  std::atomic<int64_t> endings{0};
  std::atomic<int32_t> lost{kNobody};
  char words[RankLife::kWords] = {};  // why, written before `lost`
};

/// A place that was handed out.
struct BoardPlace {
  std::atomic<int32_t> users{0};  // members that have not released it
  std::atomic<int64_t> bytes{0};  // 0: not handed out yet
  int64_t at = 0;                 // written before `bytes`
};

void copy_words(char (&to)[RankLife::kWords], const std::string& words) {
  const size_t length = std::min(words.size(), RankLife::kWords - 1);
  std::memcpy(to, words.data(), length);
  to[length] = '\0';
}

}  // namespace

/// Stands at the front of the segment; the boards behind it.
struct SharedSegment::Control {
  Ending ending;
  std::atomic<int64_t> used{0};  // bytes of boards
  std::atomic<int32_t> boards{0};
  BoardPlace places[kMostBoards];

  static int64_t bytes(int ranks) {
    return (lives_at() + ranks * static_cast<int64_t>(sizeof(RankLife) + sizeof(Bell)) + 4095) /
           4096 * 4096;
  }
  static int64_t lives_at() { return (static_cast<int64_t>(sizeof(Control)) + 127) / 128 * 128; }
};

SharedSegment::SharedSegment(int ranks, int64_t part_bytes) : ranks_(ranks) {
  const BoardLayout all(ranks, part_bytes);
  part_bytes_ = all.part_bytes();
  void* memory = MAP_FAILED;
  for (const int64_t spare : kSpareBoards) {
    if (memory != MAP_FAILED) break;
    bytes_ = Control::bytes(ranks) + (1 + spare) * all.bytes();
    memory = mmap(nullptr, static_cast<size_t>(bytes_), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  CN_CHECK(memory != MAP_FAILED, "shared memory: ", bytes_, " bytes of address space for ", ranks,
           " ranks with parts of ", part_bytes, " bytes: ", std::strerror(errno),
           "; use fewer ranks, or raise the limits of this process (ulimit -v)");
  memory_ = static_cast<std::byte*>(memory);
  ::new (memory_) Control;
  for (int r = 0; r < ranks; ++r) {
    ::new (&life(r)) RankLife;
    ::new (memory_ + Control::lives_at() + ranks * sizeof(RankLife) + r * sizeof(Bell)) Bell;
  }
  add_board(ranks);
}

SharedSegment::~SharedSegment() { munmap(memory_, static_cast<size_t>(bytes_)); }

RankLife& SharedSegment::life(int rank) const {
  return reinterpret_cast<RankLife*>(memory_ + Control::lives_at())[rank];
}

WaitPoint& SharedSegment::bell(int rank) const {
  std::byte* bells = memory_ + Control::lives_at() + ranks_ * sizeof(RankLife);
  return reinterpret_cast<Bell*>(bells)[rank].point;
}

void SharedSegment::wake_all() const {
  for (int rank = 0; rank < ranks_; ++rank) wake(rank);
}

void SharedSegment::end(int rank, RankState state, const std::string& words) const noexcept {
  RankLife& ending = life(rank);
  copy_words(ending.words, words);
  // seq_cst, here and below: WaitPoint's contract; and whoever sees the state sees the words.
  ending.state.store(state, std::memory_order_seq_cst);
  int32_t nobody = kNobody;
  if (state == RankState::failed) {
    control().ending.lost.compare_exchange_strong(nobody, rank, std::memory_order_seq_cst);
  }
  endings().fetch_add(1, std::memory_order_seq_cst);
  wake_all();
}

void SharedSegment::give_up(int rank, const std::string& words) const noexcept {
  Ending& ending = control().ending;
  int32_t nobody = kNobody;
  if (!ending.lost.compare_exchange_strong(nobody, kBeingWritten, std::memory_order_seq_cst)) {
    return;
  }
  copy_words(ending.words, words);
  ending.lost.store(rank, std::memory_order_seq_cst);
  endings().fetch_add(1, std::memory_order_seq_cst);
  wake_all();
}

std::optional<Loss> SharedSegment::loss() const {
  const Ending& ending = control().ending;
  const int lost = ending.lost.load(std::memory_order_seq_cst);
  if (lost < 0) return std::nullopt;
  const RankLife& it = life(lost);
  if (it.state.load(std::memory_order_seq_cst) == RankState::failed) {
    return Loss{lost, concat("failed: ", it.words)};
  }
  return Loss{lost, ending.words};
}

std::atomic<int64_t>& SharedSegment::endings() const { return control().ending.endings; }

/// A place that all of its users have released, or -1.
int32_t SharedSegment::reuse_board(int members, int64_t bytes) const {
  const int32_t boards = std::min(control().boards.load(), kMostBoards);
  for (int32_t number = 0; number < boards; ++number) {
    BoardPlace& place = control().places[number];
    int32_t none = 0;
    if (place.bytes.load() >= bytes && place.users.compare_exchange_strong(none, members)) {
      return number;
    }
  }
  return -1;
}

int SharedSegment::add_board(int members) const {
  const int64_t bytes = BoardLayout(members, part_bytes_).bytes();
  int32_t number = reuse_board(members, bytes);
  const bool fresh = number < 0;
  if (fresh) {
    int64_t at = control().used.load();
    do {
      if (Control::bytes(ranks_) + at + bytes > bytes_) return -1;
    } while (!control().used.compare_exchange_weak(at, at + bytes));
    number = control().boards.fetch_add(1);
    if (number >= kMostBoards) return -1;
    BoardPlace& place = control().places[number];
    place.users.store(members);  // first: nobody may reuse it before it is whole
    place.at = at;
    place.bytes.store(bytes);
  }
  board(number, members).clear_lines();
  if (!fresh) board(number, members).clear_mailboxes();
  return number;
}

Board SharedSegment::board(int number, int members) const {
  return Board(BoardLayout(members, part_bytes_),
               memory_ + Control::bytes(ranks_) + control().places[number].at);
}

void SharedSegment::release_board(int number) const { control().places[number].users.fetch_sub(1); }

}  // namespace colonnade
