#include "colonnade/comm/shared_memory_group.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <unistd.h>

namespace colonnade {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Longer than this between two looks, this process itself did not run.
constexpr double kLongestPeriod = 0.1;

/// How a failure stands in a part: row, then whether it is of the model, then the words.
struct FailureHeader {
  int64_t row;
  int64_t of_model;
  int64_t length;
};

}  // namespace

SharedMemoryGroup::SharedMemoryGroup(std::shared_ptr<SharedSegment> segment, int rank,
                                     Patience patience)
    : segment_(std::move(segment)), rank_(rank), patience_(patience) {
  CN_CHECK(rank >= 0 && rank < segment_->ranks(), "group: rank: expected 0 to ",
           segment_->ranks() - 1, ", got ", rank);
  parts_.resize(static_cast<size_t>(size()));
  segment_->life(rank_).state.store(RankState::alive, std::memory_order_seq_cst);
}

SharedMemoryGroup::~SharedMemoryGroup() {
  if (death_.empty()) segment_->end(rank_, RankState::left, "");
}

void SharedMemoryGroup::announce(int64_t bytes) {
  CN_ASSERT(published_ == collected_, "exchange ", published_, " was published, not collected");
  if (!death_.empty()) throw CommError(death_);
  const int64_t number = ++published_;
  RankLine& line = segment_->line(rank_);
  line.bytes[number % kSlots] = bytes;
  // seq_cst: WaitPoint's contract; it releases the part too.
  line.published.store(number, std::memory_order_seq_cst);
  // The last to come wakes all: with more ranks than CPUs, a wake per arrival would start every
  // sleeper N times.
  if (!all_have_published(number)) return;
  for (int other = 0; other < size(); ++other) {
    if (other != rank_ && segment_->bell(other).has_sleepers()) segment_->bell(other).wake();
  }
}

void SharedMemoryGroup::publish(int64_t bytes) {
  CN_ASSERT(bytes >= 0 && bytes <= largest_part(), "part of ", bytes, " bytes");
  announce(bytes);
  ++stats_.exchanges;
  stats_.bytes += bytes;
}

bool SharedMemoryGroup::all_have_published(int64_t number) const {
  for (int r = 0; r < segment_->ranks(); ++r) {
    if (segment_->line(r).published.load(std::memory_order_seq_cst) < number) return false;
  }
  return true;
}

void SharedMemoryGroup::wait_for_all(const char* operation) {
  int next = 0;  // those before it have published
  const auto ready = [&] {
    while (next < size() &&
           segment_->line(next).published.load(std::memory_order_seq_cst) >= published_) {
      ++next;
    }
    return next == size() || segment_->lost().load(std::memory_order_seq_cst) >= 0;
  };
  Clock::time_point looked = Clock::now();
  const Clock::time_point start = looked;
  segment_->bell(rank_).wait(
      ready, patience_,
      [&] {
        look_around(operation, std::min(seconds_since(looked), kLongestPeriod));
        looked = Clock::now();
      },
      kPeriod);
  stats_.waited_s += seconds_since(start);
  if (next == size() || all_have_published(published_)) return;
  const int lost = segment_->lost().load(std::memory_order_seq_cst);
  const RankLife& life = segment_->life(lost);
  const RankState state = life.state.load(std::memory_order_seq_cst);
  if (state == RankState::failed) lose(lost, concat("failed: ", life.words), operation);
  if (state == RankState::left) lose(lost, "has left", operation);
  lose(lost, PeerProcess(life.process.load()).condition(), operation);
}

void SharedMemoryGroup::look_around(const char* operation, double passed_s) {
  segment_->life(rank_).beats.fetch_add(1, std::memory_order_relaxed);
  if (peers_.empty()) {
    for (int r = 0; r < size(); ++r)
      peers_.push_back({PeerProcess(r == rank_ ? 0 : segment_->life(r).process.load()), -1, 0});
  }
  for (int r = 0; r < size(); ++r) {
    const RankLife& life = segment_->life(r);
    Peer& peer = peers_[static_cast<size_t>(r)];
    const bool missing = segment_->line(r).published.load(std::memory_order_seq_cst) < published_;
    const int64_t beats = life.beats.load(std::memory_order_relaxed);  // a hint, orders nothing
    if (!missing || beats != std::exchange(peer.beats, beats)) peer.quiet_s = 0;
    if (r == rank_ || !missing) continue;
    if (peer.process.has_ended() && life.state.load() == RankState::alive)
      lose(r, peer.process.condition(), operation);
    peer.quiet_s += passed_s;
    if (timeout_s_ > 0 && peer.quiet_s > timeout_s_) {
      lose(r, concat("gave no sign of life for ", timeout_s_, " s: it ", peer.process.condition()),
           operation);
    }
  }
}

void SharedMemoryGroup::lose(int peer, const std::string& what, const char* operation) {
  const int process = segment_->life(peer).process.load();
  death_ = concat("rank ", peer, " of ", size(), " (",
                  process == 0 ? std::string("a thread") : concat("process ", process),
                  " on this machine) ", what, "; rank ", rank_, " waited for it in ", operation,
                  ", exchange ", published_);
  int32_t nobody = -1;
  segment_->lost().compare_exchange_strong(nobody, peer, std::memory_order_seq_cst);
  for (int other = 0; other < size(); ++other) {
    if (segment_->bell(other).has_sleepers()) segment_->bell(other).wake();
  }
  throw CommError(death_);
}

Parts SharedMemoryGroup::collect(const char* operation) {
  CN_ASSERT(published_ == collected_ + 1, "exchange ", published_, " of ", collected_);
  if (!death_.empty()) throw CommError(death_);
  wait_for_all(operation);
  collected_ = published_;
  bool failed = false;
  for (int r = 0; r < size(); ++r) {
    const int64_t bytes = segment_->line(r).bytes[collected_ % kSlots];
    failed |= bytes < 0;
    parts_[static_cast<size_t>(r)] = {segment_->slot(r, collected_),
                                      static_cast<size_t>(std::max<int64_t>(bytes, 0))};
  }
  if (failed) raise_failure(collected_);
  return parts_;
}

void SharedMemoryGroup::raise_failure(int64_t number) const {
  int worst = -1;
  FailureHeader header{};
  for (int r = 0; r < size(); ++r) {
    if (segment_->line(r).bytes[number % kSlots] >= 0) continue;
    FailureHeader here;
    std::memcpy(&here, segment_->slot(r, number), sizeof here);
    // The model's own failure is what every cut reports; of these the lowest row.
    const bool first = worst < 0 || here.of_model > header.of_model ||
                       (here.of_model == header.of_model && here.row < header.row);
    if (!first) continue;
    worst = r;
    header = here;
  }
  const char* text = reinterpret_cast<const char*>(segment_->slot(worst, number)) + sizeof header;
  const std::string words(text, static_cast<size_t>(header.length));
  throw AgreedError(header.of_model != 0 ? words : concat("rank ", worst, ": ", words));
}

void SharedMemoryGroup::fail_together(const Failure& failure) {
  if (published_ > collected_) collect("a failed step");
  const FailureHeader header{
      failure.row, failure.of_model ? 1 : 0,
      std::min(static_cast<int64_t>(failure.words.size()),
               largest_part() - static_cast<int64_t>(sizeof(FailureHeader)))};
  std::memcpy(outbox(), &header, sizeof header);
  std::memcpy(outbox() + sizeof header, failure.words.data(), static_cast<size_t>(header.length));
  announce(-1);
  collect("a failed step");
  CN_ASSERT(false, "a failure was published and nobody raised it");
}

void SharedMemoryGroup::beat(int64_t progress) {
  // relaxed: hints, they order nothing.
  segment_->life(rank_).beats.fetch_add(1, std::memory_order_relaxed);
  segment_->life(rank_).progress.store(progress, std::memory_order_relaxed);
}

int64_t SharedMemoryGroup::progress_of(int rank) const {
  return segment_->life(rank).progress.load(std::memory_order_relaxed);
}

void SharedMemoryGroup::abandon(const std::string& words) noexcept {
  if (!death_.empty()) return;
  death_ = "this rank has failed";
  segment_->end(rank_, RankState::failed, words);
}

void SharedMemoryGroup::check() {
  if (!death_.empty()) throw CommError(death_);
  const int lost = segment_->lost().load(std::memory_order_seq_cst);
  for (int r = 0; r < size(); ++r) {
    const RankLife& life = segment_->life(r);
    if (r == rank_ || (lost != r && !PeerProcess(life.process.load()).has_ended())) continue;
    const bool spoke = life.state.load() == RankState::failed;
    lose(r, spoke ? concat("failed: ", life.words) : PeerProcess(life.process.load()).condition(),
         "no exchange");
  }
}

}  // namespace colonnade
