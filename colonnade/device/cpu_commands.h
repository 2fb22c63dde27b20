// What one worker of the CPU device does of each command: commands.h in, calls of the kernel table
// out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "colonnade/device/division.h"
#include "colonnade/device/faults.h"
#include "colonnade/kernels/table.h"
#include "colonnade/tensor/commands.h"

namespace colonnade {

/// What a worker has while it runs commands.
struct Worker {
  const kernels::KernelTable* table = nullptr;
  WorkerPlace place;
  kernels::Scratch scratch;
  kernels::PageView* pages = nullptr;  // [kMostPages]
  FaultBoard* faults = nullptr;
};

/// Bytes of one replica of codes, and the view of one. Parts stand one behind the other, each on
/// its own lines: hi, lo, scale, scaled_sum, half_sums.
int64_t codes_bytes_for(const Weight& plan, int64_t tokens);
kernels::CodesView codes_view(const ActivationsRef& activations, int64_t replica);

/// What a weight's units of panels cost to read: its bytes.
CostedUnits costed_units(const Weight& weight);

/// Runs the worker's part of command `sequence`.
void run_command(CommandId id, const std::byte* command, int64_t sequence, Worker& worker);

void run_attention(const AttentionCommand& command, int64_t sequence, Worker& worker);

}  // namespace colonnade
