#include "colonnade/base/file.h"

#include <array>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    return folder_.write(name, bytes);
  }
  std::string place(const std::string& name) const { return folder_.path() + "/" + name; }

  test::TemporaryFolder folder_;
};

std::string read_string(const File& file, int64_t offset, size_t size) {
  std::string bytes(size, '?');
  file.read_at(offset, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::string open_error(const std::string& path) {
  try {
    const File file(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(FileTest, ReadsTheBytesAtAnOffset) {
  const File file(write("a", "0123456789"));
  EXPECT_EQ(file.size(), 10);
  EXPECT_EQ(read_string(file, 3, 4), "3456");
  EXPECT_EQ(read_string(file, 10, 0), "");
}

TEST_F(FileTest, RefusesARangeThatLeavesTheFile) {
  const File file(write("a", "0123456789"));
  EXPECT_THROW(read_string(file, 8, 3), Error);
  EXPECT_THROW(read_string(file, 11, 0), Error);
  EXPECT_THROW(read_string(file, -1, 1), Error);
  EXPECT_THROW(read_string(file, std::numeric_limits<int64_t>::max(), 2), Error);
}

TEST_F(FileTest, SaysThatTheFileBecameShorter) {
  const std::string path = write("a", "0123456789");
  const File file(path);
  std::filesystem::resize_file(path, 4);
  try {
    read_string(file, 2, 6);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("became shorter"));
  }
}

TEST_F(FileTest, NamesWhatIsWrongWithThePath) {
  EXPECT_THAT(open_error(place("absent")), HasSubstr("absent: no such file"));
  EXPECT_THAT(open_error(write("a", "x") + "/b"), HasSubstr("no such file"));
  EXPECT_THAT(open_error(folder_.path()), HasSubstr("is a folder"));
  EXPECT_THAT(open_error(""), HasSubstr("the path is empty"));
  EXPECT_THAT(open_error("/dev/null"), HasSubstr("is a device or a pipe"));
}

TEST_F(FileTest, APipeIsRefusedInsteadOfWaitedFor) {
  const std::string path = place("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(open_error(path), HasSubstr("is a device or a pipe"));
}

TEST_F(FileTest, NamesMissingPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = write("a", "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_THAT(open_error(path), HasSubstr("may not read"));
}

TEST_F(FileTest, CountsTheBytesThatItDeliveredAndTheTime) {
  const File file(write("a", "0123456789"));
  EXPECT_EQ(file.read_s(), 0);
  read_string(file, 0, 4);
  read_string(file, 6, 4);
  EXPECT_EQ(file.bytes_read(), 8);
  EXPECT_GT(file.read_s(), 0);
}

TEST_F(FileTest, IdentityIsTheFilesAndNotThePaths) {
  const std::string path = write("a", "x");
  const std::string link = place("link");
  std::filesystem::create_symlink(path, link);
  EXPECT_EQ(File(path).identity(), File(link).identity());
  EXPECT_FALSE(File(path).identity() == File(write("b", "x")).identity());
}

TEST_F(FileTest, AMovedFileKeepsReadingAndTheSourceLetsGo) {
  File first(write("a", "0123456789"));
  read_string(first, 0, 2);
  const int fd = first.fd();
  File second(std::move(first));
  EXPECT_EQ(second.fd(), fd);
  EXPECT_EQ(second.bytes_read(), 2);
  EXPECT_EQ(read_string(second, 0, 3), "012");
  second = File(write("b", "other"));
  EXPECT_EQ(read_string(second, 0, 5), "other");
}

TEST_F(FileTest, ManyThreadsReadAtOnce) {
  const File file(write("a", "0123456789"));
  std::array<std::string, 4> got;
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < got.size(); ++i) {
      threads.emplace_back(
          [&file, &got, i] { got[i] = read_string(file, static_cast<int64_t>(i), 3); });
    }
  }
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], std::string("0123456789").substr(i, 3));
  EXPECT_EQ(file.bytes_read(), 12);
}

TEST_F(FileTest, SeveralFilesHaveTheSumsOfTheirSizesAndReads) {
  std::vector<File> files;
  files.emplace_back(write("a", "12345"));
  files.emplace_back(write("b", "678"));
  EXPECT_EQ(total_size(files), 8);
  EXPECT_EQ(total_read(files), 0);
  read_string(files[0], 1, 2);
  read_string(files[1], 0, 3);
  EXPECT_EQ(total_read(files), 5);
}

}  // namespace
}  // namespace colonnade
