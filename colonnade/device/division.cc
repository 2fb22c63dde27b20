#include "colonnade/device/division.h"

#include <algorithm>

#include "colonnade/base/partition.h"

namespace colonnade {
namespace {

/// First unit of part `which` that worker `index` does not leave to those before it.
int64_t boundary(std::span<const CostedUnits> parts, int which, int index, int count) {
  int64_t total = 0;
  int64_t before = 0;
  for (int p = 0; p < static_cast<int>(parts.size()); ++p) {
    const CostedUnits& part = parts[static_cast<size_t>(p)];
    if (p == which) before = total;
    total += part.units * part.cost;
  }
  const CostedUnits& part = parts[static_cast<size_t>(which)];
  if (part.cost == 0) return index == count ? part.units : 0;
  // total < 2^48 bytes and fewer than 2^15 workers: no overflow.
  const int64_t target = total * index / count - before;
  return std::clamp<int64_t>((target + part.cost / 2) / part.cost, 0, part.units);
}

}  // namespace

Range costed_part(std::span<const CostedUnits> parts, int which, WorkerPlace place) {
  return {boundary(parts, which, place.index, place.count),
          boundary(parts, which, place.index + 1, place.count)};
}

Range unit_part(int64_t total, int64_t unit, WorkerPlace place) {
  const Range units = even_part((total + unit - 1) / unit, place.count, place.index);
  return {std::min(units.begin * unit, total), std::min(units.end * unit, total)};
}

}  // namespace colonnade
