#include "colonnade/engine/page_pool.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "colonnade/device/devices.h"

namespace colonnade {
namespace {

class PagePoolTest : public testing::Test {
 protected:
  std::unique_ptr<Device> device_ = make_device({.threads = 1});
  PagePool pool_{*device_, KvLayout{.layers = 3, .kv_heads = 2, .head_dim = 20}};

  size_t page_bytes() const { return static_cast<size_t>(pool_.layout().page_bytes()); }
};

TEST_F(PagePoolTest, PagesAreAlignedAndShareNoByte) {
  pool_.reserve(2);
  std::vector<int32_t> pages;
  for (int i = 0; i < 7; ++i) {  // beyond what was reserved
    pages.push_back(pool_.take());
    std::fill_n(pool_.at(pages.back()), page_bytes(), static_cast<std::byte>(i));
  }
  for (int i = 0; i < 7; ++i) {
    const std::byte* page = pool_.at(pages[static_cast<size_t>(i)]);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(page) % 64, 0u);
    EXPECT_EQ(std::count(page, page + page_bytes(), static_cast<std::byte>(i)),
              static_cast<int64_t>(page_bytes()));
  }
}

TEST_F(PagePoolTest, APageThatWasGivenBackIsTakenAgainWhereItWas) {
  const int32_t first = pool_.take();
  std::byte* const address = pool_.at(first);
  pool_.give_back(first);
  pool_.take();
  EXPECT_EQ(pool_.at(first), address);
  std::set<std::byte*> addresses;
  for (int i = 0; i < 20; ++i) addresses.insert(pool_.at(pool_.take()));
  EXPECT_EQ(addresses.size(), 20u);
  EXPECT_EQ(addresses.count(address), 0u) << "the page is in use";
}

TEST_F(PagePoolTest, ReservingWhatIsFreeAlreadyAsksForNothing) {
  pool_.reserve(4);
  std::set<int32_t> pages;
  pool_.reserve(4);
  pool_.reserve(3);
  for (int i = 0; i < 4; ++i) pages.insert(pool_.take());
  EXPECT_EQ(*pages.rbegin(), 3) << "more pages than were asked for";
}

}  // namespace
}  // namespace colonnade
