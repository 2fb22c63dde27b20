#include "colonnade/tensor/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kLine = 64;
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kFromPages = int64_t{1} << 20;  // below, the C library's heap is tighter

constexpr int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

void release_heap(std::byte* data, int64_t) noexcept { std::free(data); }

int64_t mapped_bytes(int64_t bytes) {
  return round_up(bytes, bytes >= kHugePage ? kHugePage : int64_t{4096});
}

void release_mapping(std::byte* data, int64_t bytes) noexcept {
  munmap(data, static_cast<size_t>(mapped_bytes(bytes)));
}

std::byte* map(int64_t bytes) {
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

/// A mapping of whole huge pages: one page more, then what sticks out on both sides is given back.
std::byte* map_huge(int64_t bytes) {
  std::byte* raw = map(bytes + kHugePage);
  if (raw == nullptr) return nullptr;
  const auto address = reinterpret_cast<intptr_t>(raw);
  const int64_t before = round_up(address, kHugePage) - address;
  if (before > 0) munmap(raw, static_cast<size_t>(before));
  if (before < kHugePage) munmap(raw + before + bytes, static_cast<size_t>(kHugePage - before));
  madvise(raw + before, static_cast<size_t>(bytes), MADV_HUGEPAGE);  // a wish; refused is fine
  return raw + before;
}

}  // namespace

Memory allocate_host_memory(int64_t bytes) {
  CN_CHECK(bytes >= 0, "memory: expected a size, got ", bytes);
  std::byte* data = nullptr;
  if (bytes < kFromPages) {
    const auto size = static_cast<size_t>(round_up(std::max<int64_t>(bytes, 1), kLine));
    data = static_cast<std::byte*>(std::aligned_alloc(kLine, size));
    if (data != nullptr) std::memset(data, 0, size);
  } else {
    const int64_t size = mapped_bytes(bytes);
    data = bytes >= kHugePage ? map_huge(size) : map(size);
  }
  CN_CHECK(data != nullptr, "memory: no ", bytes,
           " bytes left; use a smaller model, a shorter context or more ranks");
  return {data, bytes, bytes < kFromPages ? release_heap : release_mapping};
}

}  // namespace colonnade
