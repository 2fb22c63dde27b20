#include "tests/support/heap_meter.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include <malloc.h>

namespace {

// All relaxed: plain counters, read by the thread that measures after the others are done.
std::atomic<bool> g_on{false};
std::atomic<int64_t> g_allocations{0};
std::atomic<int64_t> g_largest{0};
std::atomic<int64_t> g_held{0};
std::atomic<int64_t> g_peak{0};

void raise_to(std::atomic<int64_t>& maximum, int64_t value) {
  int64_t seen = maximum.load(std::memory_order_relaxed);
  while (seen < value && !maximum.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

void* counted(void* memory, size_t size) {
  if (memory == nullptr) throw std::bad_alloc();
  if (g_on.load(std::memory_order_relaxed)) {
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    raise_to(g_largest, static_cast<int64_t>(size));
    const auto usable = static_cast<int64_t>(::malloc_usable_size(memory));
    raise_to(g_peak, g_held.fetch_add(usable, std::memory_order_relaxed) + usable);
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr && g_on.load(std::memory_order_relaxed)) {
    g_held.fetch_sub(static_cast<int64_t>(::malloc_usable_size(memory)), std::memory_order_relaxed);
  }
  std::free(memory);
}

void* aligned(size_t size, std::align_val_t alignment) {
  const auto step = static_cast<size_t>(alignment);
  return counted(std::aligned_alloc(step, (size + step - 1) / step * step), size);
}

}  // namespace

// All forms: AddressSanitizer has its own for those that are left out, and would find new and
// delete mismatched.
void* operator new(size_t size) { return counted(std::malloc(size == 0 ? 1 : size), size); }
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, std::align_val_t alignment) { return aligned(size, alignment); }
void* operator new[](size_t size, std::align_val_t alignment) { return aligned(size, alignment); }
void* operator new(size_t size, const std::nothrow_t&) noexcept try {
  return operator new(size);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void* operator new[](size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }

namespace colonnade::test {

HeapMeter::HeapMeter() {
  if (g_on.load()) throw std::logic_error("HeapMeter: one at a time");
  g_allocations = g_largest = g_held = g_peak = 0;
  g_on = true;
}

HeapMeter::~HeapMeter() { g_on = false; }

int64_t HeapMeter::allocations() const { return g_allocations; }
int64_t HeapMeter::largest_bytes() const { return g_largest; }
int64_t HeapMeter::peak_bytes() const { return g_peak; }

}  // namespace colonnade::test
