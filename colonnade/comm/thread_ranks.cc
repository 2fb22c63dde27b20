#include "colonnade/comm/thread_ranks.h"

#include <exception>
#include <system_error>
#include <utility>

#include "colonnade/base/cpu_float_env.h"
#include "colonnade/comm/shared_memory_group.h"

namespace colonnade {

std::unique_ptr<Group> make_group(std::shared_ptr<SharedSegment> segment, int rank,
                                  const RankOptions& options) {
  return std::make_unique<SharedMemoryGroup>(std::move(segment), rank,
                                             options.crowded ? Patience::yield : Patience::spin,
                                             options.checking);
}

std::exception_ptr run_rank(std::shared_ptr<SharedSegment> segment, int rank,
                            const RankOptions& options, const RankBody& body) {
  const FloatEnvironment environment;
  std::unique_ptr<Group> group;
  try {
    group = make_group(std::move(segment), rank, options);
    body(*group);
    return nullptr;
  } catch (const std::exception& error) {
    if (group) group->abandon(error.what());
    return std::current_exception();
  }
}

ThreadRanks::ThreadRanks(const RankOptions& options, const RankBody& body)
    : segment_(std::make_shared<SharedSegment>(options.ranks, options.part_bytes)),
      group_(make_group(segment_, 0, options)) {
  try {
    for (int rank = 1; rank < options.ranks; ++rank) {
      threads_.emplace_back(
          [this, rank, body, options] { run_rank(segment_, rank, options, body); });
    }
    heartbeat_ = std::make_unique<Heartbeat>(segment_, 0);
  } catch (const std::system_error& error) {
    group_->abandon("the system refused a thread");
    for (std::thread& thread : threads_) thread.join();
    throw Error(concat("ranks as threads: the system refused the thread of rank ",
                       threads_.size() + 1, " of ", options.ranks, ": ", error.what(),
                       "; use fewer ranks"));
  }
}

ThreadRanks::~ThreadRanks() {
  group_.reset();
  for (std::thread& thread : threads_) thread.join();
}

void run_as_threads(int ranks, const RankBody& body, int64_t part_bytes) {
  run_as_threads({.ranks = ranks, .part_bytes = part_bytes, .crowded = true}, body);
}

void run_as_threads(const RankOptions& options, const RankBody& body) {
  const int ranks = options.ranks;
  const auto segment = std::make_shared<SharedSegment>(ranks, options.part_bytes);
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(ranks));
  {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        thrown[static_cast<size_t>(rank)] = run_rank(segment, rank, options, body);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::exception_ptr first;
  for (const std::exception_ptr& error : thrown) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const CommError&) {
      if (!first) first = error;
    } catch (...) {
      std::rethrow_exception(error);
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace colonnade
