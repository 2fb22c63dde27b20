#include "colonnade/comm/rank_seat.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Longer than this between two looks, this process itself did not run.
constexpr double kLongestPeriod = 0.1;
constexpr double kLongestBetweenChecks = 0.5;

constexpr int kBits = 64;  // of RankLife::missing

std::string place_of(const Awaited& awaited) {
  return concat(awaited.operation, ", ", awaited.what, " ", awaited.number);
}

/// Counts a rank's wait, and that it is over.
class CountedWait {
 public:
  CountedWait(RankLife& life, const std::string& where) : life_(life) {
    const size_t length = std::min(where.size(), RankLife::kWhere - 1);
    std::memcpy(life_.where, where.data(), length);
    life_.where[length] = '\0';
    life_.waits.fetch_add(1, std::memory_order_seq_cst);
  }
  ~CountedWait() { life_.waits.fetch_add(1, std::memory_order_seq_cst); }
  CountedWait(const CountedWait&) = delete;
  CountedWait& operator=(const CountedWait&) = delete;

 private:
  RankLife& life_;
};

}  // namespace

RankSeat::RankSeat(std::shared_ptr<SharedSegment> segment, int rank, Patience patience)
    : segment_(std::move(segment)), rank_(rank), patience_(patience) {
  CN_CHECK(rank >= 0 && rank < segment_->ranks(), "group: rank: expected 0 to ",
           segment_->ranks() - 1, ", got ", rank);
  peers_.resize(static_cast<size_t>(segment_->ranks()));
  segment_->expect(rank, getpid());
  segment_->life(rank).state.store(RankState::alive, std::memory_order_seq_cst);
}

RankSeat::~RankSeat() {
  if (death_.empty()) segment_->end(rank_, RankState::left, "");
}

void RankSeat::abandon(const std::string& words) noexcept {
  if (!death_.empty()) return;
  death_ = "this rank has failed";
  segment_->end(rank_, RankState::failed, words);
}

void RankSeat::sleep_until(const std::function<bool()>& ready, const Awaited& awaited) {
  const auto woken = [&] {
    return ready() || segment_->endings().load(std::memory_order_seq_cst) != minded_;
  };
  const CountedWait counted(segment_->life(rank_), place_of(awaited));
  for (Peer& it : peers_) it.waits = 0;
  Clock::time_point looked = Clock::now();
  const auto look = [&] {
    look_around(awaited, std::min(seconds_since(looked), kLongestPeriod));
    if (on_wait_) on_wait_();
    looked = Clock::now();
  };
  for (;;) {
    segment_->bell(rank_).wait(woken, patience_, look, kPeriod);
    if (ready()) return;
    mind_endings(awaited);
  }
}

void RankSeat::mind_endings(const Awaited& awaited) {
  minded_ = segment_->endings().load(std::memory_order_seq_cst);
  if (const std::optional<Loss> loss = segment_->loss()) lose(*loss, awaited);
  for (int r = 0; r < segment_->ranks(); ++r) {
    const RankState state = segment_->life(r).state.load(std::memory_order_seq_cst);
    // The last thing that it said may have come between the look at it and its leaving.
    if (r != rank_ && state == RankState::left && awaited.missing(r))
      lose({r, "has left"}, awaited);
  }
}

void RankSeat::look_around(const Awaited& awaited, double passed_s) {
  tell_missing(awaited);
  beat();
  for (int r = 0; r < segment_->ranks(); ++r) {
    look_at(r, awaited, passed_s);
    look_for_circle(r, awaited);
  }
}

void RankSeat::tell_missing(const Awaited& awaited) {
  uint64_t missing = 0;
  for (int r = 0; r < std::min(segment_->ranks(), kBits); ++r) {
    if (r != rank_ && awaited.missing(r)) missing |= uint64_t{1} << r;
  }
  segment_->life(rank_).missing.store(missing, std::memory_order_seq_cst);
  segment_->life(rank_).looks.fetch_add(1, std::memory_order_seq_cst);
}

void RankSeat::look_for_circle(int rank, const Awaited& awaited) {
  const RankState state = segment_->life(rank).state.load(std::memory_order_seq_cst);
  if (rank == rank_ || state == RankState::left || state == RankState::failed) return;
  const RankLife& life = segment_->life(rank);
  Peer& it = peer(rank);
  const int64_t waits = life.waits.load(std::memory_order_seq_cst);
  const bool mutual = rank_ < kBits && waits % 2 == 1 && awaited.missing(rank) &&
                      (life.missing.load(std::memory_order_seq_cst) >> rank_ & 1) != 0;
  const int64_t looks = life.looks.load(std::memory_order_seq_cst);
  if (!mutual || waits != it.waits) {
    it.waits = mutual ? waits : 0;
    it.since = looks;
    return;
  }
  // Two looks later what it says of itself is newer than this rank's waiting.
  if (looks < it.since + 2) return;
  lose({rank, concat("waits for rank ", rank_, " in ", life.where,
                     " while that one waits for it in ", place_of(awaited))},
       awaited);
}

void RankSeat::look_at(int rank, const Awaited& awaited, double passed_s) {
  if (rank == rank_) return;
  const RankState state = segment_->life(rank).state.load(std::memory_order_seq_cst);
  if (state == RankState::failed) return;  // a loss says so
  if (state == RankState::left) {
    // It may have left long ago, minded by a wait that did not miss it.
    if (awaited.missing(rank)) lose({rank, "has left"}, awaited);
    return;
  }
  Peer& it = peer(rank);
  if (it.process.has_ended()) lose({rank, it.process.condition()}, awaited);
  const int64_t beats = segment_->life(rank).beats.load(std::memory_order_relaxed);  // a hint
  const bool quiet = awaited.missing(rank) && beats == std::exchange(it.beats, beats);
  it.quiet_s = quiet ? it.quiet_s + passed_s : 0;
  if (timeout_s_ <= 0 || it.quiet_s <= timeout_s_) return;
  lose({rank, concat("gave no sign of life for ", timeout_s_, " s: it ", condition_of(it, state))},
       awaited);
}

std::string RankSeat::condition_of(const Peer& peer, RankState state) {
  if (state != RankState::absent) return peer.process.condition();
  if (peer.number == 0) return "has not come";
  return concat("has not come yet and ", peer.process.condition());
}

/// Opened anew when it has come, or come again, as another process.
RankSeat::Peer& RankSeat::peer(int rank) {
  Peer& it = peers_[static_cast<size_t>(rank)];
  const int number = segment_->life(rank).process.load();
  if (number != it.number) {
    it.process = PeerProcess(number == getpid() ? 0 : number);
    it.number = number;
  }
  return it;
}

std::string RankSeat::name_of(int rank) const {
  const int process = segment_->life(rank).process.load();
  const std::string where = process == getpid() ? std::string("a thread")
                            : process == 0      ? std::string("no process yet")
                                                : concat("process ", process);
  return concat("rank ", rank, " of ", segment_->ranks(), " (", where, " on this machine)");
}

std::string RankSeat::condition_of(const Loss& loss) {
  const RankState state = segment_->life(loss.rank).state.load();
  if (loss.rank == rank_ || state == RankState::left || state == RankState::failed) {
    return loss.words;
  }
  // Only its parent hears what killed it.
  const PeerProcess& process = peer(loss.rank).process;
  return process.has_ended() ? process.condition() : loss.words;
}

void RankSeat::lose(const Loss& loss, const Awaited& awaited) {
  const std::string words = condition_of(loss);
  const bool mine = loss.rank == rank_;
  death_ = mine ? concat("the others have given up this rank, ", rank_, " of ", segment_->ranks(),
                         ", which ", words)
                : concat(name_of(loss.rank), " ", words);
  if (awaited.operation != nullptr) {
    const bool for_it = !mine && awaited.missing(loss.rank);
    death_ += mine     ? "; it came to "
              : for_it ? concat("; rank ", rank_, " waited for it in ")
                       : concat("; rank ", rank_, " waited in ");
    death_ += place_of(awaited);
  }
  segment_->give_up(loss.rank, words);
  throw CommError(death_);
}

void RankSeat::check() {
  require_life();
  const std::function<bool(int)> everybody = [](int) { return true; };
  const Awaited sign_of_life{nullptr, "", 0, everybody};
  mind_endings(sign_of_life);
  const double passed_s = std::min(seconds_since(checked_), kLongestBetweenChecks);
  checked_ = Clock::now();
  for (int r = 0; r < segment_->ranks(); ++r) look_at(r, sign_of_life, passed_s);
}

}  // namespace colonnade
