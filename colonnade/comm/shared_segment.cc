#include "colonnade/comm/shared_segment.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kPage = 4096;

int64_t whole_pages(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

template <typename T>
T* place(std::byte*& at, int64_t count) {
  T* first = reinterpret_cast<T*>(at);
  for (int64_t i = 0; i < count; ++i) ::new (first + i) T;
  at += count * static_cast<int64_t>(sizeof(T));
  return first;
}

}  // namespace

SharedSegment::SharedSegment(int ranks, int64_t part_bytes)
    : ranks_(ranks), part_bytes_(whole_pages(part_bytes)) {
  CN_CHECK(ranks >= 1, "shared memory: ranks: expected at least 1, got ", ranks);
  const int64_t control =
      whole_pages(static_cast<int64_t>(sizeof(Bell)) +
                  ranks * static_cast<int64_t>(sizeof(RankLine) + sizeof(RankLife) + sizeof(Bell)));
  bytes_ = control + ranks * kSlots * part_bytes_;
  void* memory = mmap(nullptr, static_cast<size_t>(bytes_), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CN_CHECK(memory != MAP_FAILED, "shared memory: ", bytes_, " bytes for ", ranks,
           " ranks: ", std::strerror(errno));
  memory_ = static_cast<std::byte*>(memory);
  std::byte* at = memory_;
  lost_ = ::new (at) std::atomic<int32_t>(-1);
  at += sizeof(Bell);
  lines_ = place<RankLine>(at, ranks);
  lives_ = place<RankLife>(at, ranks);
  bells_ = place<Bell>(at, ranks);
  slots_ = memory_ + control;
}

SharedSegment::~SharedSegment() { munmap(memory_, static_cast<size_t>(bytes_)); }

void SharedSegment::end(int rank, RankState state, const std::string& words) const noexcept {
  RankLife& ending = life(rank);
  const size_t length = std::min(words.size(), RankLife::kWords - 1);
  std::memcpy(ending.words, words.data(), length);
  ending.words[length] = '\0';
  // seq_cst: WaitPoint's contract; and whoever sees the state sees the words.
  ending.state.store(state, std::memory_order_seq_cst);
  int32_t nobody = -1;
  lost().compare_exchange_strong(nobody, rank, std::memory_order_seq_cst);
  for (int other = 0; other < ranks_; ++other) {
    if (bell(other).has_sleepers()) bell(other).wake();
  }
}

}  // namespace colonnade
