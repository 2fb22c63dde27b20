#include "colonnade/comm/process_ranks.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "colonnade/base/text_file.h"
#include "colonnade/comm/thread_ranks.h"

namespace colonnade {
namespace {

using namespace std::chrono_literals;

/// Where rank 0 ends for its own reasons, the others see that it has left within a period or two.
constexpr auto kPatience = 2s;

/// A thread that was joined (an earlier session's) counts until the system has taken it down.
constexpr auto kThreadEnds = 500ms;

int64_t threads_here() {
  const std::string status = read_text("/proc/self/status").value_or("");
  return parse_integer(field_of(status, "Threads").value_or("1")).value_or(1);
}

void check_alone() {
  const auto latest = std::chrono::steady_clock::now() + kThreadEnds;
  while (threads_here() > 1 && std::chrono::steady_clock::now() < latest)
    std::this_thread::sleep_for(1ms);
  const int64_t threads = threads_here();
  CN_CHECK(threads == 1, "ranks as processes: this process has ", threads,
           " threads already, which its copies would lack: start the ranks before the threads, or "
           "take ranks as threads");
}

/// What a rank does not share with rank 0.
void become_a_rank(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before we asked to be told
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0) return;
  dup2(null, STDIN_FILENO);
  close(null);
}

bool has_ended(pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; }

}  // namespace

ProcessRanks::ProcessRanks(const RankOptions& options, const RankBody& body)
    : segment_(std::make_shared<SharedSegment>(options.ranks, options.part_bytes)) {
  check_alone();
  segment_->expect(0, getpid());
  try {
    for (int rank = 1; rank < options.ranks; ++rank) start(rank, options, body);
  } catch (...) {
    segment_->end(0, RankState::left, "");
    end();
    throw;
  }
  group_ = make_group(segment_, 0, options);
  heartbeat_ = std::make_unique<Heartbeat>(segment_, 0);  // behind fork(): a thread
}

void ProcessRanks::start(int rank, const RankOptions& options, const RankBody& body) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  CN_CHECK(child >= 0, "ranks as processes: the system refused that of rank ", rank, " of ",
           options.ranks, ": ", std::strerror(errno), "; use fewer ranks");
  if (child == 0) {
    become_a_rank(parent);
    const bool ended_well = run_rank(segment_, rank, options, body) == nullptr;
    _exit(ended_well ? 0 : 1);  // what is buffered for output is the parent's
  }
  segment_->expect(rank, child);
  children_.push_back(child);
}

void ProcessRanks::end() {
  const auto latest = std::chrono::steady_clock::now() + kPatience;
  for (const pid_t child : children_) {
    bool ended = has_ended(child);
    for (; !ended && std::chrono::steady_clock::now() < latest; ended = has_ended(child))
      std::this_thread::sleep_for(1ms);
    if (ended) continue;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
}

ProcessRanks::~ProcessRanks() {
  group_.reset();
  end();
}

}  // namespace colonnade
