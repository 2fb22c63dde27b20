#include "colonnade/io/read_speed.h"

#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

ThreadPoolOptions threads(int count) { return {.threads = count, .pinning = Pinning::off}; }

constexpr ReadSpeedOptions kPatient = {.bytes = int64_t{1} << 40, .seconds = 60};

class ReadSpeed : public testing::Test {
 protected:
  /// Files of these sizes.
  std::vector<File> files(const std::vector<size_t>& sizes) {
    std::vector<File> opened;
    for (const size_t size : sizes) {
      opened.emplace_back(
          folder_.write("file" + std::to_string(opened.size()), std::string(size, 'x')));
    }
    return opened;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ReadSpeed, EveryByteOfAllFilesIsReadOnceWhateverTheThreads) {
  const std::vector<File> all = files({1, 700'000, 300'001, 5});
  int64_t before = 0;
  for (const int count : {1, 2, 3, 7}) {
    EXPECT_GT(measure_read_speed(all, threads(count), kPatient), 0) << count;
    for (const File& file : all) EXPECT_EQ(file.bytes_read() % file.size(), 0) << file.path();
    EXPECT_EQ(total_read(all) - before, 1'000'007) << count;
    before = total_read(all);
  }
  EXPECT_GT(total_read_s(all), 0);
}

TEST_F(ReadSpeed, NoMoreThanWhatIsAskedForIsRead) {
  const std::vector<File> all = files({100, 1'000'000});
  EXPECT_GT(measure_read_speed(all, threads(2), {.bytes = 600'000, .seconds = 60}), 0);
  EXPECT_EQ(all[0].bytes_read(), 100);
  EXPECT_EQ(all[1].bytes_read(), 599'900);
}

TEST_F(ReadSpeed, WhenTheTimeIsOverThePieceThatWasBegunIsTheLast) {
  const std::vector<File> all = files({1'000'000});
  EXPECT_GT(measure_read_speed(all, threads(1), {.seconds = 0}), 0);
  EXPECT_EQ(all[0].bytes_read(), 256 << 10);
}

TEST_F(ReadSpeed, NothingToReadAndFilesThatBecameShorterAreErrors) {
  const std::vector<File> all = files({600'000});
  EXPECT_THROW(measure_read_speed(all, threads(1), {.bytes = 0}), Error);
  EXPECT_THROW(measure_read_speed({}, threads(1)), Error);
  folder_.write("file0", "short");
  EXPECT_THROW(measure_read_speed(all, threads(2)), Error);
}

}  // namespace
}  // namespace colonnade
