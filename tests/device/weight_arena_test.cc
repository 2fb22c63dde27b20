#include "colonnade/device/weight_arena.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(WeightArena, BlocksStandOneBehindTheOtherAndDoNotOverlap) {
  WeightArena arena;
  const ArenaBlock a = arena.allocate(1000);
  const ArenaBlock b = arena.allocate(1);
  const ArenaBlock c = arena.allocate(128);
  EXPECT_EQ(b.data - a.data, 1024);
  EXPECT_EQ(c.data - b.data, 128);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data) % 128, 0u);
}

TEST(WeightArena, EveryBlockIsZeroedAndWithinItsChunk) {
  WeightArena arena;
  std::vector<ArenaBlock> blocks;
  for (int i = 0; i < 40; ++i) {
    const int64_t bytes = (i % 9 + 1) * kMiB - 64;
    blocks.push_back(arena.allocate(bytes));
    const ArenaBlock& block = blocks.back();
    EXPECT_LE(block.data + bytes, block.chunk->data() + block.chunk->bytes());
    EXPECT_TRUE(std::all_of(block.data, block.data + bytes,
                            [](std::byte value) { return value == std::byte{0}; }));
    std::fill_n(block.data, bytes, std::byte{0xff});
  }
}

TEST(WeightArena, AChunkLivesAsLongAsItsLastBlock) {
  ArenaBlock block;
  {
    WeightArena arena;
    block = arena.allocate(4096);
  }
  std::fill_n(block.data, 4096, std::byte{1});
  EXPECT_EQ(block.chunk.use_count(), 1);
}

}  // namespace
}  // namespace colonnade
