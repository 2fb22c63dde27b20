#include "colonnade/cli/interrupt.h"

#include <atomic>
#include <csignal>

#include <unistd.h>

#include "colonnade/cli/exit_codes.h"

namespace colonnade::cli {
namespace {

// Lock-free, so a signal handler may use them; relaxed: nothing else is handed over.
std::atomic<bool> interrupted{false};
std::atomic<bool> ending{false};

extern "C" void on_signal(int signal) {
  if (interrupted.exchange(true, std::memory_order_relaxed)) ::_exit(kInterrupted);
  if (signal != SIGINT) ending.store(true, std::memory_order_relaxed);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;  // no SA_RESTART: a read() that waits for input ends
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

bool is_interrupted() { return interrupted.load(std::memory_order_relaxed); }

bool take_interrupt() { return interrupted.exchange(false, std::memory_order_relaxed); }

void check_interrupt() {
  if (is_interrupted()) throw Interrupted();
}

bool must_end() { return ending.load(std::memory_order_relaxed); }

}  // namespace colonnade::cli
