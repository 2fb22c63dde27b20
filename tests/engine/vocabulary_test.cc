#include "colonnade/engine/vocabulary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/support/random.h"
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 11;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

ShardSummary scan(const std::vector<float>& logits, int64_t first_id, const ShardRequest& request) {
  ShardScan shard_scan;
  return shard_scan(logits, first_id, request);
}

TEST(Vocabulary, BlockMaximaAreThoseOfEach256) {
  for (const int64_t size : {1, 7, 31, 32, 255, 256, 257, 1000}) {
    const std::vector<float> logits = test::random_floats(kSeed, size, 10.0F);
    const ShardSummary summary = scan(logits, 512, {});
    ASSERT_EQ(static_cast<int64_t>(summary.block_max.size()), (size + 255) / 256);
    for (size_t block = 0; block < summary.block_max.size(); ++block) {
      const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(block * 256);
      const auto end = std::min(begin + 256, logits.end());
      EXPECT_EQ(summary.block_max[block], *std::max_element(begin, end)) << size;
    }
  }
}

TEST(Vocabulary, TheCandidatesAreTheBestInOrderForAnyCount) {
  EXPECT_TRUE(rc::check([] {
    const int64_t size = *rc::gen::inRange(1, 6000);
    const int64_t count = *rc::gen::inRange(1, 7000);
    const int levels = *rc::gen::elementOf(std::vector<int>{1, 5, 100, 1 << 20});
    test::Random random(*rc::gen::arbitrary<uint64_t>());
    std::vector<float> logits;
    Ranking expected;
    for (int32_t i = 0; i < size; ++i) {
      const int64_t level = random.integer(-levels, levels);
      const float logit = level == levels ? -kInfinity : static_cast<float>(level) / 64;
      logits.push_back(logit);
      if (logit > -kInfinity) expected.push_back({logit, 768 + i});
    }
    std::sort(expected.begin(), expected.end(), ahead);
    ShardRequest request;
    request.candidates = count;
    const ShardSummary summary = scan(logits, 768, request);
    const size_t wanted = std::min(expected.size(), static_cast<size_t>(count));
    RC_ASSERT(summary.candidates.size() == wanted);
    for (size_t i = 0; i < wanted; ++i) {
      RC_ASSERT(summary.candidates[i].id == expected[i].id);
      RC_ASSERT(summary.candidates[i].logit == expected[i].logit);
    }
    // Complete may be said only when it is true, and must be when everything was asked for.
    RC_ASSERT(!summary.complete || wanted == expected.size());
    RC_ASSERT(count < size || summary.complete);
  }));
}

TEST(Vocabulary, BlockSumsAreThoseOfTheExponentials) {
  for (const int64_t size : {1, 15, 16, 33, 256, 700}) {
    const std::vector<float> logits = test::random_floats(kSeed, size, 20.0F);
    ShardRequest request;
    request.sums = true;
    const ShardSummary summary = scan(logits, 0, request);
    ASSERT_EQ(summary.block_sum.size(), summary.block_max.size());
    for (size_t block = 0; block < summary.block_sum.size(); ++block) {
      double expected = 0.0;
      const size_t end = std::min(logits.size(), (block + 1) * 256);
      for (size_t i = block * 256; i < end; ++i) {
        expected += std::exp(static_cast<double>(logits[i]) - summary.block_max[block]);
      }
      // 256 additions and as many exponentials, each good to an ulp.
      EXPECT_NEAR(summary.block_sum[block], expected, expected * 512 * 0x1p-52) << size;
    }
  }
}

TEST(Vocabulary, BannedTokensAddNothing) {
  std::vector<float> logits(300, -kInfinity);
  logits[299] = 3.0F;
  ShardRequest request;
  request.sums = true;
  request.candidates = 400;
  const ShardSummary summary = scan(logits, 0, request);
  EXPECT_EQ(summary.block_max, (std::vector<float>{-kInfinity, 3.0F}));
  EXPECT_EQ(summary.block_sum, (std::vector<double>{0.0, 1.0}));
  ASSERT_EQ(summary.candidates.size(), 1u);
  EXPECT_EQ(summary.candidates[0].id, 299);
  EXPECT_TRUE(summary.complete);
}

TEST(Vocabulary, ALogitThatIsNoNumberIsAnErrorThatNamesTheToken) {
  for (const float bad : {kNaN, -kNaN, kInfinity}) {
    for (const size_t place : {0, 5, 31, 255, 256, 299}) {
      std::vector<float> logits = test::random_floats(kSeed, 300);
      logits[place] = bad;
      logits[(place + 1) % 300] = -kInfinity;
      try {
        scan(logits, 512, {});
        FAIL() << "accepted " << bad << " at " << place;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("token " + std::to_string(512 + place) + ":"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(Vocabulary, AnEmptyShardHasNothing) {
  ShardRequest request;
  request.sums = request.draw = true;
  request.candidates = 64;
  const ShardSummary summary = scan({}, 256, request);
  EXPECT_TRUE(summary.block_max.empty());
  EXPECT_TRUE(summary.candidates.empty());
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.draw.id, -1);
}

}  // namespace
}  // namespace colonnade
