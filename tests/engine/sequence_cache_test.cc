#include "colonnade/engine/sequence_cache.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "colonnade/device/devices.h"

namespace colonnade {
namespace {

std::vector<int32_t> tokens(int64_t count, int32_t first = 0) {
  std::vector<int32_t> v;
  for (int64_t i = 0; i < count; ++i) v.push_back(first + static_cast<int32_t>(i));
  return v;
}

class SequenceCacheTest : public testing::Test {
 protected:
  std::unique_ptr<Device> device_ = make_device({.threads = 1});
  PagePool pool_{*device_, KvLayout{.layers = 2, .kv_heads = 1, .head_dim = 16}};
};

TEST_F(SequenceCacheTest, TakesAPagePer64Positions) {
  SequenceCache cache(pool_);
  for (const auto& [size, pages] : {std::pair{1, 1U}, {64, 1U}, {65, 2U}, {128, 2U}, {129, 3U}}) {
    cache.append(tokens(size - cache.size()));
    EXPECT_EQ(cache.pages().size(), pages) << size;
  }
}

TEST_F(SequenceCacheTest, GivesPagesBackAndTakesTheSameAgain) {
  SequenceCache cache(pool_);
  cache.append(tokens(200));
  const std::vector<int32_t> pages = cache.pages();
  cache.truncate(64);
  EXPECT_EQ(cache.pages().size(), 1U);
  cache.append(tokens(136, 64));
  std::vector<int32_t> again = cache.pages();
  std::sort(again.begin(), again.end());
  std::vector<int32_t> before = pages;
  std::sort(before.begin(), before.end());
  EXPECT_EQ(again, before);
}

TEST_F(SequenceCacheTest, FindsTheCommonPrefix) {
  SequenceCache cache(pool_);
  cache.append(tokens(10));
  EXPECT_EQ(cache.common_prefix(tokens(5)), 5);
  EXPECT_EQ(cache.common_prefix(tokens(20)), 10);
  EXPECT_EQ(cache.common_prefix(tokens(3, 7)), 0);
  EXPECT_EQ(cache.common_prefix(std::vector<int32_t>{0, 1, 2, 9, 4}), 3);
}

TEST_F(SequenceCacheTest, ReservedPagesAreWritableAndDistinct) {
  SequenceCache cache(pool_);
  cache.reserve(640);
  cache.append(tokens(640));
  std::set<std::byte*> distinct;
  for (const int32_t page : cache.pages()) {
    std::memset(pool_.at(page), 1, static_cast<size_t>(pool_.layout().page_bytes()));
    distinct.insert(pool_.at(page));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pool_.at(page)) % 64, 0U);
  }
  EXPECT_EQ(distinct.size(), 10U);
}

}  // namespace
}  // namespace colonnade
