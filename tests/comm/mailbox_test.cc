#include "colonnade/comm/mailbox.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

class MailboxTest : public testing::Test {
 protected:
  MailboxTest() { mailbox_.clear(); }

  static std::vector<std::byte> bytes(size_t count, int first) {
    std::vector<std::byte> all(count);
    for (size_t i = 0; i < count; ++i)
      all[i] = static_cast<std::byte>(first + static_cast<int>(i) * 7);
    return all;
  }

  void post(const std::vector<std::byte>& message, int tag) {
    const MailHeader header{static_cast<int64_t>(message.size()), tag};
    mailbox_.put(std::as_bytes(std::span(&header, 1)));
    mailbox_.put(message);
  }

  alignas(128) std::byte memory_[Mailbox::kBytes];
  Mailbox mailbox_{memory_};
};

TEST_F(MailboxTest, GivesTheBytesInTheirOrderAroundTheRing) {
  std::vector<std::byte> got(1000);
  for (int round = 0; round < 300; ++round) {
    const std::vector<std::byte> sent = bytes(1000, round);
    ASSERT_EQ(mailbox_.put(sent), 1000);
    ASSERT_EQ(mailbox_.take(got), 1000);
    ASSERT_EQ(got, sent) << round;
  }
}

TEST_F(MailboxTest, TakesNoMoreThanThereIsRoomFor) {
  const std::vector<std::byte> sent = bytes(Mailbox::kRing + 10, 1);
  EXPECT_EQ(mailbox_.put(sent), Mailbox::kRing);
  EXPECT_EQ(mailbox_.room(), 0);
  EXPECT_EQ(mailbox_.put(sent), 0);
  std::vector<std::byte> got(5);
  EXPECT_EQ(mailbox_.take(got), 5);
  EXPECT_EQ(mailbox_.put(sent), 5);
}

TEST_F(MailboxTest, AThreadReadsWhatAnotherWrites) {
  const std::vector<std::byte> sent = bytes(1'000'000, 3);
  std::thread writer([&] {
    std::span<const std::byte> rest = sent;
    while (!rest.empty()) {
      rest = rest.subspan(static_cast<size_t>(mailbox_.put(rest)));
      std::this_thread::yield();
    }
  });
  std::vector<std::byte> got(sent.size());
  std::span<std::byte> rest = got;
  while (!rest.empty()) {
    rest = rest.subspan(static_cast<size_t>(mailbox_.take(rest)));
    std::this_thread::yield();
  }
  writer.join();
  EXPECT_EQ(got, sent);
}

TEST_F(MailboxTest, MessagesAreFoundByTagInTheirOrder) {
  MailSorter sorter;
  EXPECT_FALSE(sorter.take_from(mailbox_));
  post(bytes(3, 1), 7);
  post(bytes(0, 0), 8);
  post(bytes(5, 2), 7);
  EXPECT_TRUE(sorter.take_from(mailbox_));
  EXPECT_EQ(sorter.find(8), bytes(0, 0));
  EXPECT_EQ(sorter.find(9), std::nullopt);
  EXPECT_EQ(sorter.find(7), bytes(3, 1));
  EXPECT_EQ(sorter.find(7), bytes(5, 2));
  EXPECT_EQ(sorter.find(7), std::nullopt);
}

TEST_F(MailboxTest, AMessageMayComeInPieces) {
  MailSorter sorter;
  const std::vector<std::byte> message = bytes(300'000, 5);
  const MailHeader header{300'000, 1};
  std::vector<std::byte> all(sizeof header + message.size());
  std::memcpy(all.data(), &header, sizeof header);
  std::copy(message.begin(), message.end(), all.begin() + sizeof header);
  // The first piece ends inside of the header.
  std::span<const std::byte> rest = all;
  for (size_t piece = 5; !rest.empty(); piece = 50'000) {
    const auto now = rest.first(std::min(piece, rest.size()));
    ASSERT_EQ(mailbox_.put(now), static_cast<int64_t>(now.size()));
    rest = rest.subspan(now.size());
    EXPECT_EQ(sorter.find(1), std::nullopt);
    EXPECT_TRUE(sorter.take_from(mailbox_));
  }
  EXPECT_EQ(sorter.find(1), message);
}

}  // namespace
}  // namespace colonnade
