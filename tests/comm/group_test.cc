#include "colonnade/comm/group.h"

#include <cstring>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(SoloGroup, CollectsWhatItPublished) {
  SoloGroup group(100);
  EXPECT_EQ(group.rank(), 0);
  EXPECT_EQ(group.size(), 1);
  EXPECT_EQ(group.largest_part(), 100);
  for (const int64_t bytes : {int64_t{5}, int64_t{0}, int64_t{100}}) {
    std::memset(group.outbox(), static_cast<int>(bytes), static_cast<size_t>(bytes));
    group.publish(bytes);
    const Parts parts = group.collect("test");
    ASSERT_EQ(parts.size(), 1u);
    ASSERT_EQ(parts[0].size(), static_cast<size_t>(bytes));
    for (const std::byte byte : parts[0]) EXPECT_EQ(byte, static_cast<std::byte>(bytes));
  }
}

TEST(SoloGroup, ItsOutboxIsAligned) {
  for (const int64_t bytes : {1, 40, 4096, 100000}) {
    SoloGroup group(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(group.outbox()) % kPartAlignment, 0u) << bytes;
  }
}

TEST(SoloGroup, FailsInItsOwnWords) {
  SoloGroup group;
  try {
    group.fail_together({.words = "the sum is not finite"});
  } catch (const AgreedError& error) {
    EXPECT_STREQ(error.what(), "the sum is not finite");
  }
}

TEST(SoloGroup, SplitsIntoOneOrNone) {
  SoloGroup group(64);
  const std::unique_ptr<Group> one = group.split(3, -7);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->size(), 1);
  EXPECT_EQ(one->largest_part(), 64);
  EXPECT_EQ(group.split(-1, 0), nullptr);
}

TEST(SoloGroup, HasNobodyToSendTo) {
  SoloGroup group;
  EXPECT_THROW(group.send({}, 0, 1), Error);
  EXPECT_THROW(group.recv(1, 1), Error);
}

TEST(Failure, OfAModelIsKeptApartFromARanksOwn) {
  const Failure of_model = Failure::of(ModelError("layer 3: not finite", 17));
  EXPECT_TRUE(of_model.of_model);
  EXPECT_EQ(of_model.row, 17);
  EXPECT_EQ(of_model.words, "layer 3: not finite");
  const Failure own = Failure::of(Error("out of memory"));
  EXPECT_FALSE(own.of_model);
  EXPECT_EQ(own.row, 0);
  EXPECT_EQ(own.words, "out of memory");
}

}  // namespace
}  // namespace colonnade
