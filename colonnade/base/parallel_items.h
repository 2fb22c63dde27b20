// Work that falls into many independent items, done by several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace colonnade {

/// Calls work(i) once for every i of [0, count), the lowest first, on `threads` threads, of which
/// the caller is one; `between` on the caller's alone, behind each of its items and once behind
/// all. When one of them throws, items that have not begun are left out, and the first exception is
/// thrown again.
void parallel_items(int threads, int64_t count, const std::function<void(int64_t)>& work,
                    const std::function<void()>& between);

}  // namespace colonnade
