#include "colonnade/text/unicode_ranges.h"

#include <iterator>

#include "tests/text/tokenizer_golden.h"
#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

#include "tests/text/unicode_golden.inc"

TEST(UnicodeRanges, EveryCodePointIsWhatTheReferenceSays) {
  const auto ranges = unicode_ranges();
  uint64_t digest = test::kFnvStart;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const char32_t end = i + 1 < ranges.size() ? ranges[i + 1].first : 0x110000;
    for (char32_t c = ranges[i].first; c < end; ++c) {
      if (c >= 0xD800 && c < 0xE000) continue;
      digest = test::fnv1a(digest, ranges[i].category, 1);
      digest = test::fnv1a(digest, ranges[i].flags, 1);
    }
  }
  EXPECT_EQ(digest, kRangesDigest);
}

TEST(UnicodeRanges, TheRangesAreAscendingAndBeginWithTheFirstCodePoint) {
  const auto ranges = unicode_ranges();
  EXPECT_EQ(ranges.front().first, 0u);
  for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LT(ranges[i - 1].first, ranges[i].first);
  for (const UnicodeRange& range : ranges) EXPECT_LT(range.category, std::size(kCategories));
}

}  // namespace
}  // namespace colonnade::text
