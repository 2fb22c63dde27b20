// Which kernel table this process runs: what the CPU, the system and this build all have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/cpu_features.h"
#include "colonnade/kernels/table.h"

namespace colonnade {

/// The CPU has what the objects of `isa` were compiled for.
bool cpu_has(const CpuFeatures& cpu, kernels::Isa isa);

/// Instruction sets that this CPU and this build have, slowest first; never empty.
std::vector<kernels::Isa> usable_isas();

/// The table called `name`, or the fastest for an empty name. Throws Error for a name that is
/// unknown or not usable here; the message lists those that are.
const kernels::KernelTable& choose_table(std::string_view name);

}  // namespace colonnade
