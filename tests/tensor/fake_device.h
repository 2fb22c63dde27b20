// A device that runs nothing: memory and the count of meetings.
#pragma once

#include "colonnade/base/error.h"
#include "colonnade/tensor/commands.h"
#include "colonnade/tensor/device.h"

namespace colonnade::test {

class FakeDevice final : public Device {
 public:
  std::string description() const override { return "fake"; }
  int workers() const override { return 1; }
  Memory allocate(int64_t bytes) override {
    ++allocations;
    return allocate_host_memory(bytes);
  }
  int64_t codes_bytes(const Weight&, int64_t) const override { return 0; }
  WeightPtr pack(const WeightSpec&, const RowSource&) override { return nullptr; }

  void meet() { launch(SelectRowsCommand{}, Sync::meet); }

  int allocations = 0;
  int finished = 0;

 private:
  void enqueue(CommandId, const void*, int64_t, Sync) override {}
  void finish() override { ++finished; }
};

}  // namespace colonnade::test
