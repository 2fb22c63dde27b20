#include "colonnade/base/cpu_affinity.h"

#include <pthread.h>

namespace colonnade {

CpuAffinity::CpuAffinity(const std::vector<int>& cpus) {
  CPU_ZERO(&former_);
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<size_t>(cpu), &set);
  const pthread_t self = pthread_self();
  changed_ = pthread_getaffinity_np(self, sizeof former_, &former_) == 0 &&
             pthread_setaffinity_np(self, sizeof set, &set) == 0;
}

CpuAffinity::~CpuAffinity() {
  if (changed_) pthread_setaffinity_np(pthread_self(), sizeof former_, &former_);
}

std::vector<int> CpuAffinity::former() const {
  std::vector<int> cpus;
  for (int cpu = 0; changed_ && cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<size_t>(cpu), &former_)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace colonnade
