// ALiBi: attention that loses a head's slope times the distance of the key.
#pragma once

#include "colonnade/base/range.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/tensor.h"

namespace colonnade {

/// Slopes of heads [mine.begin, mine.end) of `heads`: 2^(-8 i / n), i = 1..n, for n the largest
/// power of two that is not above `heads`; the heads behind them take the odd i of 2 n.
/// Source: Press et al. 2022, "Train Short, Test Long", section 3, and the released code for head
/// counts that are no power of two.
Tensor alibi_slopes(Device& device, int heads, Range mine);

}  // namespace colonnade
