// The helpers of the tests: a same_bits that always succeeded would make every test of the law a
// test that cannot fail.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/environment.h"
#include "tests/support/random.h"
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace colonnade::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(SameBits, TellsZeroFromMinusZeroAndLetsNanEqualItself) {
  const std::vector<float> values = {1.0f, kNan, 0.0f};
  EXPECT_TRUE(same_bits(values, values));
  EXPECT_FALSE(same_bits(values, std::vector<float>{1.0f, kNan, -0.0f}));
}

TEST(SameBits, NamesTheFirstDifferenceAndTheirNumber) {
  const auto result = same_bits(std::vector<float>{1, 2, 3, 4}, std::vector<float>{1, 3, 3, 5});
  EXPECT_STREQ(result.message(),
               "2 of 4 differ, the first at 1: 2 (0x40000000), expected 3 (0x40400000)");
}

TEST(SameBits, DifferentLengthsDiffer) {
  EXPECT_FALSE(same_bits(std::vector<float>{1}, std::vector<float>{1, 2}));
  EXPECT_FALSE(same_bits(std::vector<uint16_t>{}, std::vector<uint16_t>{0}));
}

TEST(Random, IsTheReferenceSequence) {
  // The first two numbers for seed 1234567 that the authors' C program prints.
  Random random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317u);
  EXPECT_EQ(random.bits(), 3203168211198807973u);
}

TEST(Random, StaysInItsBoundsAndReachesThem) {
  Random random(7);
  std::vector<int> seen(4, 0);
  for (int i = 0; i < 1000; ++i) {
    ++seen.at(static_cast<size_t>(random.integer(-1, 2) + 1));
    const float value = random.uniform(-2.0f, 3.0f);
    EXPECT_TRUE(-2.0f <= value && value < 3.0f) << value;
  }
  for (const int count : seen) EXPECT_GT(count, 200);
}

TEST(Random, FloatsDependOnTheSeedAlone) {
  EXPECT_TRUE(same_bits(random_floats(1, 100), random_floats(1, 100)));
  EXPECT_FALSE(same_bits(random_floats(1, 100), random_floats(2, 100)));
}

class CachedModel : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "colonnade_cached_model";
    std::filesystem::create_directories(folder_ / "models");
    setenv("COLONNADE_CACHE", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("COLONNADE_CACHE");
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path folder_;
};

TEST_F(CachedModel, IsFoundInTheCache) {
  const auto path = folder_ / "models" / "tiny.gguf";
  std::ofstream(path) << "GGUF";
  EXPECT_EQ(cached_model("tiny"), path);
}

TEST_F(CachedModel, ThatIsMissingIsAFailureInCiAlone) {
  unsetenv("CI");
  EXPECT_EQ(cached_model("tiny"), "");
  setenv("CI", "true", 1);
  std::string path = "unset";
  testing::TestPartResultArray failures;
  {
    testing::ScopedFakeTestPartResultReporter reporter(&failures);
    path = cached_model("tiny");
  }
  unsetenv("CI");
  EXPECT_EQ(path, "");
  EXPECT_EQ(failures.size(), 1);
}

}  // namespace
}  // namespace colonnade::test
