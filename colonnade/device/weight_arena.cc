#include "colonnade/device/weight_arena.h"

namespace colonnade {
namespace {

constexpr int64_t kChunk = int64_t{32} << 20;
constexpr int64_t kAlone =
    kChunk / 4;  // from here on a chunk of its own: at most a quarter is unused
constexpr int64_t kLinePair = 128;

}  // namespace

ArenaBlock WeightArena::allocate(int64_t bytes) {
  if (bytes >= kAlone) {
    auto chunk = std::make_shared<const Memory>(allocate_host_memory(bytes));
    return {chunk, chunk->data()};
  }
  if (chunk_ == nullptr || used_ + bytes > kChunk) {
    chunk_ = std::make_shared<const Memory>(allocate_host_memory(kChunk));
    used_ = 0;
  }
  ArenaBlock block{chunk_, chunk_->data() + used_};
  used_ += (bytes + kLinePair - 1) / kLinePair * kLinePair;
  return block;
}

}  // namespace colonnade
