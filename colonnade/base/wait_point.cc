#include "colonnade/base/wait_point.h"

#include <climits>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace colonnade {

void WaitPoint::wake() {
  wakes_.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void WaitPoint::yield() { sched_yield(); }

void WaitPoint::sleep(uint32_t seen) {
  syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

}  // namespace colonnade
