// The version of docs/numerics.md: any changed rounding raises it. Ranks and receipts compare it.
#pragma once

namespace colonnade {

constexpr int kNumericsVersion = 1;

}  // namespace colonnade
