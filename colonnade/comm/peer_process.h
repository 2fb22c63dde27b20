// PeerProcess: whether another process of this machine still runs, and how it ended.
#pragma once

#include <string>

namespace colonnade {

/// Move only. Process 0 is none: it never ends.
class PeerProcess {
 public:
  /// A process that has ended already counts as ended.
  explicit PeerProcess(int process);
  PeerProcess(PeerProcess&& other) noexcept;
  PeerProcess& operator=(PeerProcess&& other) noexcept;
  ~PeerProcess();

  /// Ended, by itself or killed; a child that nobody has waited for too.
  bool has_ended() const;
  /// "was killed by signal 9 (Killed)", "ended with exit code 1", "is stopped (SIGSTOP or Ctrl-Z)",
  /// "runs"; only the parent learns of signals and exit codes, others hear "ended".
  std::string condition() const;

 private:
  int process_;
  int handle_ = -1;  // pidfd
};

}  // namespace colonnade
