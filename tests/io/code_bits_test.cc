#include "colonnade/io/code_bits.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/random.h"
#include <gtest/gtest.h>

namespace colonnade {
namespace {

std::vector<uint8_t> unpack(int bits, const std::vector<uint8_t>& stream, int64_t first,
                            int64_t count) {
  std::vector<uint8_t> codes(static_cast<size_t>(count));
  unpack_codes(bits, reinterpret_cast<const std::byte*>(stream.data()), first, count, codes.data());
  return codes;
}

TEST(CodeBits, KnownWordsAreTheCodesOfARamp) {
  // w_i = (i - 10) / 8 for i < 32, quantized by MLX: code_i = round((w_i - 2.625) / scale).
  struct Known {
    int bits;
    double scale;
    std::vector<uint32_t> words;
  };
  const Known kKnown[] = {
      {2, -1.3125, {0xaaaaabff, 0x00055555}},
      {3, -0.525, {0x6ddb6fff, 0x36dc925b, 0x00124a49}},
      {4, -0.2625, {0xbccddeef, 0x8899aaab, 0x44556677, 0x00112233}},
      {6, -0.0610465, {0x77e7bf7f, 0xbb6fc73d, 0x863967a6, 0x1765b75f, 0xa30e4125, 0x00210620}},
      {8,
       -0.0151734,
       {0xe7eff7ff, 0xc6ced6de, 0xa5adb5bd, 0x848c949d, 0x636b737c, 0x424a525b, 0x2129313a,
        0x00081019}},
  };
  for (const auto& [bits, scale, words] : kKnown) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
    const std::vector<uint8_t> codes = unpack(bits, {bytes, bytes + 4 * words.size()}, 0, 32);
    for (int i = 0; i < 32; ++i) {
      const double exact = ((i - 10) / 8.0 - 2.625) / scale;
      EXPECT_LE(std::fabs(codes[static_cast<size_t>(i)] - exact), 0.5 + 1e-3) << bits << ", " << i;
    }
  }
}

TEST(CodeBits, AnyPartIsThatPartOfTheWhole) {
  constexpr int64_t kCount = 64;
  test::Random random(1);
  for (const int bits : {2, 3, 4, 5, 6, 8}) {
    // Exactly as many bytes as there are: a read behind them is seen by sanitizers.
    std::vector<uint8_t> stream(static_cast<size_t>(kCount * bits / 8));
    for (uint8_t& byte : stream) byte = static_cast<uint8_t>(random.bits());
    std::vector<uint8_t> expected;
    for (int64_t i = 0; i < kCount; ++i) {
      int code = 0;
      for (int64_t b = 0; b < bits; ++b) {
        const int64_t at = i * bits + b;
        code |= (stream[static_cast<size_t>(at / 8)] >> (at % 8) & 1) << b;
      }
      expected.push_back(static_cast<uint8_t>(code));
    }
    for (int64_t first = 0; first <= kCount; ++first) {
      for (int64_t count = 0; first + count <= kCount; count += 5) {
        const auto begin = expected.begin() + first;
        ASSERT_EQ(unpack(bits, stream, first, count), std::vector<uint8_t>(begin, begin + count))
            << bits << " bits, " << count << " from " << first;
      }
    }
  }
}

}  // namespace
}  // namespace colonnade
