#include "colonnade/base/wait_point.h"

#include <climits>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace colonnade {
namespace {

int operation(int futex, Sharing sharing) {
  return sharing == Sharing::process ? futex | FUTEX_PRIVATE_FLAG : futex;
}

}  // namespace

void WaitPoint::wake() {
  wakes_.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &wakes_, operation(FUTEX_WAKE, sharing_), INT_MAX, nullptr, nullptr, 0);
}

void WaitPoint::yield() { sched_yield(); }

void WaitPoint::sleep(uint32_t seen, std::chrono::milliseconds period) {
  timespec longest{};
  longest.tv_sec = period.count() / 1000;
  longest.tv_nsec = (period.count() % 1000) * 1'000'000;
  const bool limited = period != std::chrono::milliseconds::max();
  syscall(SYS_futex, &wakes_, operation(FUTEX_WAIT, sharing_), seen, limited ? &longest : nullptr,
          nullptr, 0);
}

}  // namespace colonnade
