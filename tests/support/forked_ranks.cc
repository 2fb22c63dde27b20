#include "tests/support/forked_ranks.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace colonnade::test {

/// What each rank threw, in memory that outlives it.
class ForkedRanks::Words {
 public:
  explicit Words(int ranks) : ranks_(static_cast<size_t>(ranks)) {
    void* memory =
        mmap(nullptr, ranks_ * kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CN_CHECK(memory != MAP_FAILED, "test: no memory for the last words");
    memory_ = static_cast<char*>(memory);
  }
  ~Words() { munmap(memory_, ranks_ * kBytes); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  void write(int rank, const std::string& words) const {
    std::strncpy(memory_ + static_cast<size_t>(rank) * kBytes, words.c_str(), kBytes - 1);
  }
  std::string read(int rank) const { return memory_ + static_cast<size_t>(rank) * kBytes; }

 private:
  static constexpr size_t kBytes = 4096;
  size_t ranks_;
  char* memory_;
};

namespace {

using Clock = std::chrono::steady_clock;

void note_end(ChildResult& child, int status) {
  if (WIFEXITED(status)) child.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) child.signal = WTERMSIG(status);
}

std::string kind_and_words(const std::exception_ptr& error) {
  return thrown_by([&] {
    if (error) std::rethrow_exception(error);
  });
}

}  // namespace

std::string thrown_by(const std::function<void()>& body) {
  try {
    body();
  } catch (const AgreedError& error) {
    return concat("AgreedError: ", error.what());
  } catch (const CommError& error) {
    return concat("CommError: ", error.what());
  } catch (const std::exception& error) {
    return concat("Error: ", error.what());
  }
  return "";
}

ForkedRanks::ForkedRanks(const RankOptions& options, const RankBody& body, Caller caller)
    : segment_(std::make_shared<SharedSegment>(options.ranks, options.part_bytes)),
      words_(std::make_unique<Words>(options.ranks)) {
  std::fflush(stdout);  // or every child would have a copy of what is not written yet
  for (int rank = caller == Caller::is_rank_0 ? 1 : 0; rank < options.ranks; ++rank) {
    const int process = fork();
    CN_CHECK(process >= 0, "test: fork: ", std::strerror(errno));
    if (process == 0) {
      const std::string thrown = kind_and_words(run_rank(segment_, rank, options, body));
      words_->write(rank, thrown);
      std::fflush(stdout);
      _exit(testing::Test::HasFailure() ? 2 : thrown.empty() ? 0 : 1);
    }
    segment_->expect(rank, process);
    children_.push_back({.rank = rank, .process = process});
  }
  if (caller == Caller::is_rank_0) group_ = make_group(segment_, 0, options);
}

ForkedRanks::~ForkedRanks() {
  if (waited_) return;
  for (const ChildResult& child : children_) {
    kill(child.process, SIGKILL);
    waitpid(child.process, nullptr, 0);
  }
}

int ForkedRanks::process(int rank) const {
  return children_.at(static_cast<size_t>(rank - children_.front().rank)).process;
}

void ForkedRanks::send_signal(int rank, int signal) const { kill(process(rank), signal); }

void ForkedRanks::wait_until_stopped(int rank) const {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process(rank)), &info, WSTOPPED | WNOWAIT);
}

std::vector<ChildResult> ForkedRanks::wait() {
  const auto end = Clock::now() + std::chrono::minutes(1);
  for (ChildResult& child : children_) {
    int status = 0;
    while (waitpid(child.process, &status, WNOHANG) == 0) {
      if (Clock::now() > end) {
        ADD_FAILURE() << "rank " << child.rank << " hangs";
        kill(child.process, SIGKILL);
        waitpid(child.process, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    note_end(child, status);
    child.thrown = words_->read(child.rank);
  }
  waited_ = true;
  return children_;
}

std::vector<ChildResult> run_as_processes(const RankOptions& options, const RankBody& body) {
  ForkedRanks ranks(options, body);
  ChildResult caller{.process = getpid()};
  caller.thrown = thrown_by([&] {
    try {
      body(ranks.group());
    } catch (const std::exception& error) {
      ranks.group().abandon(error.what());
      throw;
    }
  });
  caller.exit_code = caller.thrown.empty() ? 0 : 1;
  ranks.leave();
  std::vector<ChildResult> results = {caller};
  for (ChildResult& child : ranks.wait()) results.push_back(std::move(child));
  return results;
}

std::vector<ChildResult> run_as_processes(int ranks, const RankBody& body) {
  return run_as_processes({.ranks = ranks, .crowded = true}, body);
}

}  // namespace colonnade::test
