#include "colonnade/comm/shared_memory_group.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace colonnade {
namespace {

/// Of each part, asked for as soon as it is there.
constexpr int64_t kPrefetchBytes = 1024;
constexpr int64_t kLineBytes = 64;

/// How a failure stands in a part, in front of its words.
struct FailureHeader {
  int64_t row;
  int64_t of_model;
  int64_t length;
};

}  // namespace

SharedMemoryGroup::SharedMemoryGroup(std::shared_ptr<SharedSegment> segment, int rank,
                                     Patience patience, Checking checking)
    : SharedMemoryGroup(std::make_shared<RankSeat>(segment, rank, patience), 0,
                        GroupMembers::everybody(segment->ranks()), checking) {}

SharedMemoryGroup::SharedMemoryGroup(std::shared_ptr<RankSeat> seat, int board,
                                     GroupMembers members, Checking checking)
    : seat_(std::move(seat)),
      board_number_(board),
      members_(std::move(members)),
      board_(seat_->segment().board(board, members_.size())),
      self_(members_.member_of(seat_->rank())),
      checking_(checking),
      mail_(*seat_, board_, members_),
      parts_(static_cast<size_t>(members_.size())) {}

SharedMemoryGroup::~SharedMemoryGroup() { seat_->segment().release_board(board_number_); }

void SharedMemoryGroup::announce(int64_t bytes) {
  seat_->require_life();
  CN_ASSERT(published_ == collected_, "exchange ", published_, " was published, not collected");
  const int64_t number = ++published_;
  MemberLine& line = board_.line(self_);
  line.bytes[number % kSlots] = bytes;
  if (number % kHistoryPeriod == 0) line.history = history_.digest();
  // seq_cst: WaitPoint's contract; it releases the part too.
  line.published.store(number, std::memory_order_seq_cst);
  // The last to come wakes all: with more ranks than CPUs, a wake per arrival would start every
  // sleeper N times.
  if (!all_have_published(number)) return;
  for (int m = 0; m < size(); ++m) {
    if (m != self_) seat_->segment().wake(members_.rank_of(m));
  }
}

void SharedMemoryGroup::publish(int64_t bytes) {
  CN_ASSERT(bytes >= 0 && bytes <= largest_part(), "part of ", bytes, " bytes");
  announce(bytes);
  ++stats_.exchanges;
  stats_.bytes += bytes;
}

bool SharedMemoryGroup::all_have_published(int64_t number) const {
  for (int m = 0; m < board_.members(); ++m) {
    if (board_.line(m).published.load(std::memory_order_seq_cst) < number) return false;
  }
  return true;
}

void SharedMemoryGroup::wait_for_all(const char* operation) {
  const auto published = [&](int member) {
    return board_.line(member).published.load(std::memory_order_seq_cst) >= published_;
  };
  int next = 0;  // those before it have published
  const auto ready = [&] {
    while (next < size() && published(next)) ++next;
    return next == size();
  };
  const std::function<bool(int)> missing = [&](int rank) {
    const int member = members_.member_of(rank);
    return member >= 0 && !published(member);
  };
  seat_->wait(ready, {operation, "exchange", published_, missing});
}

/// Where the parts of the published exchange stand. Their first lines are on their way when this
/// returns.
void SharedMemoryGroup::find_parts() {
  for (int m = 0; m < size(); ++m) {
    const std::byte* slot = board_.slot(m, published_);
    const int64_t bytes = board_.line(m).bytes[published_ % kSlots];
    parts_[static_cast<size_t>(m)] = {slot, static_cast<size_t>(std::max<int64_t>(bytes, 0))};
    for (int64_t at = 0; at < std::min(bytes, kPrefetchBytes); at += kLineBytes) {
      __builtin_prefetch(slot + at);
    }
  }
}

bool SharedMemoryGroup::has_failure() const {
  for (int m = 0; m < board_.members(); ++m) {
    if (board_.line(m).bytes[published_ % kSlots] < 0) return true;
  }
  return false;
}

Parts SharedMemoryGroup::collect(const char* operation) {
  CN_ASSERT(operation != nullptr, "an exchange without a name");
  return collect_parts(operation);
}

Parts SharedMemoryGroup::collect_parts(const char* operation) {
  seat_->require_life();
  CN_ASSERT(published_ == collected_ + 1, "exchange ", published_, " of ", collected_);
  if (all_have_published(published_)) {
    find_parts();
  } else {
    const auto start = std::chrono::steady_clock::now();
    wait_for_all(operation == nullptr ? "a failed step" : operation);
    find_parts();  // the clock takes less time than a line of another core
    stats_.waited_s +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const bool failed = has_failure();
  const int64_t number = published_;
  if (!failed && checking_ == Checking::operations) check_operations(operation);
  collected_ = number;
  if (failed) raise_failure(number);
  if (number % kHistoryPeriod == 0) check_histories();
  history_.add(operation == nullptr ? "" : operation);
  return parts_;
}

void SharedMemoryGroup::check_operations(const char* operation) {
  MemberTalk& mine = board_.talk(self_);
  char* name = mine.operation[published_ % kSlots];
  std::strncpy(name, operation == nullptr ? "" : operation, MemberTalk::kName - 1);
  mine.told.store(published_, std::memory_order_seq_cst);
  for (int m = 0; m < size(); ++m) seat_->segment().wake(members_.rank_of(m));
  const auto told = [&](int member) {
    return board_.talk(member).told.load(std::memory_order_seq_cst) >= published_;
  };
  const auto ready = [&] {
    for (int m = 0; m < size(); ++m) {
      if (!told(m)) return false;
    }
    return true;
  };
  const std::function<bool(int)> missing = [&](int rank) {
    const int member = members_.member_of(rank);
    return member >= 0 && !told(member);
  };
  seat_->wait(ready, {"a check of operations", "exchange", published_, missing});
  // The first that is in something, and one that is in something else: the same two on every rank.
  const char* first = nullptr;
  int first_member = 0;
  for (int m = 0; m < size(); ++m) {
    const char* here = board_.talk(m).operation[published_ % kSlots];
    if (*here == '\0') continue;  // it has failed, and will say so
    if (first == nullptr) {
      first = here;
      first_member = m;
    } else if (std::strcmp(first, here) != 0) {
      disagree(concat("rank ", members_.rank_of(first_member), " is in '", first, "', rank ",
                      members_.rank_of(m), " in '", here, "'"));
    }
  }
}

void SharedMemoryGroup::check_histories() {
  for (int m = 1; m < size(); ++m) {
    if (board_.line(m).history == board_.line(0).history) continue;
    disagree(concat("ranks ", members_.rank_of(0), " and ", members_.rank_of(m),
                    " were in different ones during the last ", kHistoryPeriod,
                    " exchanges (a debug build compares every one)"));
  }
}

void SharedMemoryGroup::disagree(const std::string& how) {
  const std::string words =
      concat("ranks disagree about their operations at exchange ", published_, ": ", how,
             "; every rank must call the same ones in the same "
             "order");
  seat_->abandon(words);
  throw CommError(words);
}

void SharedMemoryGroup::raise_failure(int64_t number) {
  int worst = -1;
  FailureHeader header{};
  for (int m = 0; m < size(); ++m) {
    if (board_.line(m).bytes[number % kSlots] >= 0) continue;
    FailureHeader here;
    std::memcpy(&here, board_.slot(m, number), sizeof here);
    // The model's own failure is what every cut reports; of these the lowest row.
    const bool first = worst < 0 || here.of_model > header.of_model ||
                       (here.of_model == header.of_model && here.row < header.row);
    if (!first) continue;
    worst = m;
    header = here;
  }
  history_ = {};  // whoever failed does not know the names of the last operations
  const char* text = reinterpret_cast<const char*>(board_.slot(worst, number)) + sizeof header;
  const std::string words(text, static_cast<size_t>(header.length));
  throw AgreedError(header.of_model != 0 ? words
                                         : concat("rank ", members_.rank_of(worst), ": ", words));
}

void SharedMemoryGroup::fail_together(const Failure& failure) {
  if (published_ > collected_) collect_parts(nullptr);
  const FailureHeader header{
      failure.row, failure.of_model ? 1 : 0,
      std::min(static_cast<int64_t>(failure.words.size()),
               largest_part() - static_cast<int64_t>(sizeof(FailureHeader)))};
  std::memcpy(outbox(), &header, sizeof header);
  std::memcpy(outbox() + sizeof header, failure.words.data(), static_cast<size_t>(header.length));
  announce(-1);
  collect_parts(nullptr);
  CN_ASSERT(false, "a failure was published and nobody raised it");
}

int64_t SharedMemoryGroup::progress_of(int rank) const {
  return seat_->segment().life(members_.rank_of(rank)).progress.load(std::memory_order_relaxed);
}

void SharedMemoryGroup::send(std::span<const std::byte> bytes, int peer, int tag) {
  mail_.send(bytes, peer, tag);
}

std::vector<std::byte> SharedMemoryGroup::recv(int peer, int tag) { return mail_.recv(peer, tag); }

std::unique_ptr<Group> SharedMemoryGroup::split(int color, int key) {
  const SplitWish wish{color, key};
  std::memcpy(outbox(), &wish, sizeof wish);
  publish(sizeof wish);
  std::vector<SplitWish> wishes;
  for (const auto& part : collect("split")) {
    std::memcpy(&wishes.emplace_back(), part.data(), sizeof wish);
  }
  GroupMembers members = members_.of_color(color, wishes);
  const bool leads = color >= 0 && members.rank_of(0) == seat_->rank();
  const int32_t made = leads ? seat_->segment().add_board(members.size()) : 0;
  std::memcpy(outbox(), &made, sizeof made);
  publish(sizeof made);
  const Parts parts = collect("split: boards");
  int32_t board = 0;
  bool room = true;
  for (int m = 0; m < size(); ++m) {
    int32_t here = 0;
    std::memcpy(&here, parts[static_cast<size_t>(m)].data(), sizeof here);
    room &= here >= 0;
    if (color >= 0 && members_.rank_of(m) == members.rank_of(0)) board = here;
  }
  for (int m = 0; !room && leads && made >= 0 && m < members.size(); ++m) {
    seat_->segment().release_board(made);
  }
  CN_CHECK(room, "split: no room for another group of these ", size(),
           " ranks: close groups that are not needed any more");
  if (color < 0) return nullptr;
  return std::unique_ptr<Group>(new SharedMemoryGroup(seat_, board, std::move(members), checking_));
}

}  // namespace colonnade
