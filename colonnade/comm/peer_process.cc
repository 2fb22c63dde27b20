#include "colonnade/comm/peer_process.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "colonnade/base/error.h"
#include "colonnade/base/text_file.h"

namespace colonnade {
namespace {

/// The state letter of proc_pid_stat(5); '\0' where the system does not say.
char state_letter(int process) {
  const std::string stat = read_text(concat("/proc/", process, "/stat")).value_or("");
  const size_t name_end = stat.rfind(") ");
  return name_end == std::string::npos || name_end + 2 >= stat.size() ? '\0' : stat[name_end + 2];
}

std::string how_it_ended(int process) {
  siginfo_t info{};
  // WNOWAIT: whoever started it collects it.
  const bool ours =
      waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
  if (!ours || info.si_pid == 0) return "ended";
  if (info.si_code == CLD_EXITED) return concat("ended with exit code ", info.si_status);
  return concat("was killed by signal ", info.si_status, " (", strsignal(info.si_status), ")");
}

}  // namespace

PeerProcess::PeerProcess(int process) : process_(process) {
  // The raw call: glibc 2.36 has a wrapper, older ones do not.
  if (process_ > 0) handle_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
}

PeerProcess::PeerProcess(PeerProcess&& other) noexcept
    : process_(other.process_), handle_(std::exchange(other.handle_, -1)) {}

PeerProcess& PeerProcess::operator=(PeerProcess&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(handle_, other.handle_);
  return *this;
}

PeerProcess::~PeerProcess() {
  if (handle_ >= 0) close(handle_);
}

bool PeerProcess::has_ended() const {
  if (process_ == 0) return false;
  if (handle_ < 0) {  // gone before we looked, or a kernel without pidfd
    const char state = state_letter(process_);
    return state == '\0' || state == 'Z' || state == 'X';
  }
  pollfd look{handle_, POLLIN, 0};
  return poll(&look, 1, 0) == 1;
}

std::string PeerProcess::condition() const {
  if (has_ended()) return how_it_ended(process_);
  const char state = process_ == 0 ? 'R' : state_letter(process_);
  return state == 'T' || state == 't' ? "is stopped (SIGSTOP or Ctrl-Z)" : "runs";
}

}  // namespace colonnade
