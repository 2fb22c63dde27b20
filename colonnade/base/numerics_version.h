// The version of docs/numerics.md: a change of any rounding raises it. Ranks and receipts compare it.
#pragma once

namespace colonnade {

constexpr int kNumericsVersion = 1;

}  // namespace colonnade
