// CpuDevice: the device made of a thread pool and a kernel table.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "colonnade/base/thread_pool.h"
#include "colonnade/device/cpu_commands.h"
#include "colonnade/device/faults.h"
#include "colonnade/device/weight_arena.h"
#include "colonnade/kernels/table.h"
#include "colonnade/tensor/device.h"

namespace colonnade {

class CpuDevice final : public Device {
 public:
  CpuDevice(const kernels::KernelTable& table, const ThreadPoolOptions& options);
  ~CpuDevice() override;

  std::string description() const override;
  int workers() const override { return pool_.threads(); }
  Memory allocate(int64_t bytes) override { return allocate_host_memory(bytes); }
  int64_t codes_bytes(const Weight& weight, int64_t tokens) const override {
    return codes_bytes_for(weight, tokens);
  }
  WeightPtr pack(const WeightSpec& spec, const RowSource& source) override;

 private:
  struct PackJob;
  struct Entry;

  void enqueue(CommandId id, const void* command, int64_t bytes, Sync sync) override;
  void finish() override;
  static void run(void* self, const std::byte* entry, int64_t sequence, int worker);
  void pack_part(PackJob& job, int worker);

  const kernels::KernelTable& table_;
  FaultBoard faults_;
  WeightArena weights_;
  std::vector<Memory> worker_memory_;
  std::vector<Worker> worker_state_;
  ThreadPool pool_;  // last: its threads use all of the above
};

}  // namespace colonnade
