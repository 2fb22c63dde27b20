#include "colonnade/comm/peer_process.h"

#include <functional>
#include <utility>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace colonnade {
namespace {

/// A child that runs `body`; killed and collected in the end.
class Child {
 public:
  explicit Child(const std::function<void()>& body) : process_(fork()) {
    if (process_ != 0) return;
    body();
    _exit(0);
  }
  ~Child() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  int process() const { return process_; }
  /// Returns once it has ended or stands still; it is not collected.
  void wait(int what) const {
    siginfo_t info{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(process_), &info, what | WNOWAIT), 0);
  }

 private:
  int process_;
};

void sleep_for_ever() {
  for (;;) pause();
}

TEST(PeerProcess, OneThatRunsHasNotEnded) {
  const Child child(sleep_for_ever);
  const PeerProcess peer(child.process());
  EXPECT_FALSE(peer.has_ended());
  EXPECT_EQ(peer.condition(), "runs");
}

TEST(PeerProcess, ItsParentHearsWhatKilledIt) {
  const Child child(sleep_for_ever);
  const PeerProcess peer(child.process());
  kill(child.process(), SIGKILL);
  child.wait(WEXITED);
  EXPECT_TRUE(peer.has_ended());
  EXPECT_EQ(peer.condition(), "was killed by signal 9 (Killed)");
}

TEST(PeerProcess, ItsParentHearsTheExitCode) {
  const Child child([] { _exit(3); });
  const PeerProcess peer(child.process());
  child.wait(WEXITED);
  EXPECT_TRUE(peer.has_ended());
  EXPECT_EQ(peer.condition(), "ended with exit code 3");
}

TEST(PeerProcess, OneThatIsStoppedSaysSoAndHasNotEnded) {
  const Child child(sleep_for_ever);
  const PeerProcess peer(child.process());
  kill(child.process(), SIGSTOP);
  child.wait(WSTOPPED);
  EXPECT_FALSE(peer.has_ended());
  EXPECT_EQ(peer.condition(), "is stopped (SIGSTOP or Ctrl-Z)");
}

TEST(PeerProcess, OneThatIsGoneBeforeTheFirstLookHasEnded) {
  const int process = fork();
  if (process == 0) _exit(0);
  waitpid(process, nullptr, 0);
  const PeerProcess peer(process);
  EXPECT_TRUE(peer.has_ended());
  EXPECT_EQ(peer.condition(), "ended");
}

TEST(PeerProcess, NoneNeverEnds) {
  const PeerProcess none(0);
  EXPECT_FALSE(none.has_ended());
  EXPECT_EQ(none.condition(), "runs");
}

TEST(PeerProcess, MovesTakeTheProcessAlong) {
  const Child child([] { _exit(0); });
  PeerProcess first(child.process());
  PeerProcess second(std::move(first));
  child.wait(WEXITED);
  EXPECT_TRUE(second.has_ended());
  PeerProcess third(0);
  third = std::move(second);
  EXPECT_TRUE(third.has_ended());
}

}  // namespace
}  // namespace colonnade
