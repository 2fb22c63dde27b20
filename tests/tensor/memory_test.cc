#include "colonnade/tensor/memory.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(Memory, IsZeroedAndAlignedAtEverySize) {
  for (int64_t bytes :
       {int64_t{1}, int64_t{63}, int64_t{4096}, kMiB - 1, kMiB, 2 * kMiB, 5 * kMiB + 3}) {
    const Memory memory = allocate_host_memory(bytes);
    EXPECT_EQ(memory.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 64, 0u) << bytes;
    EXPECT_TRUE(std::all_of(memory.data(), memory.data() + bytes, [](std::byte b) {
      return b == std::byte{0};
    })) << bytes;
    std::fill_n(memory.data(), bytes, std::byte{1});
  }
}

TEST(Memory, LargeBlocksBeginAtAHugePage) {
  const Memory memory = allocate_host_memory(3 * kMiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % (2 * kMiB), 0u);
}

TEST(Memory, MovesAndIsFreedOnce) {
  static int released = 0;
  static std::byte byte;
  const auto release = [](std::byte*, int64_t) noexcept { ++released; };
  {
    Memory a(&byte, 1, release);
    Memory b(std::move(a));
    Memory c;
    c = std::move(b);
    EXPECT_EQ(c.data(), &byte);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(Memory, SaysHowMuchItCouldNotGet) {
  try {
    allocate_host_memory(int64_t{1} << 60);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1152921504606846976 bytes"), std::string::npos);
  }
  EXPECT_THROW(allocate_host_memory(-1), Error);
}

}  // namespace
}  // namespace colonnade
