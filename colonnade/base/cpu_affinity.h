// CpuAffinity: the calling thread runs on some CPUs only, and on its former ones again afterwards.
#pragma once

#include <vector>

#include <sched.h>

namespace colonnade {

/// Threads that are started meanwhile inherit it. Destroyed by the thread that made it. A refusal
/// of the system costs speed, not correctness.
class CpuAffinity {
 public:
  /// No CPUs: nothing changes.
  explicit CpuAffinity(const std::vector<int>& cpus);
  ~CpuAffinity();
  CpuAffinity(const CpuAffinity&) = delete;
  CpuAffinity& operator=(const CpuAffinity&) = delete;

  /// The CPUs that the thread had before.
  std::vector<int> former() const;

 private:
  cpu_set_t former_;
  bool changed_ = false;
};

}  // namespace colonnade
