#include "colonnade/base/new_file.h"

#include <csignal>
#include <filesystem>

#include "tests/support/gguf_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "colonnade/base/error.h"
#include "colonnade/base/text_file.h"

namespace colonnade {
namespace {

int64_t files_in(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(NewFile, AppearsWhenItIsCommitted) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "before");
  NewFile file(path);
  file.append("0123456789");
  file.write_at(2, "__");
  EXPECT_EQ(read_text(path), "before");
  file.commit();
  EXPECT_EQ(read_text(path), "01__456789");
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(NewFile, LeavesNothingWithoutCommit) {
  const test::TemporaryFolder folder;
  { NewFile(folder.path() + "/a.txt").append("text"); }
  EXPECT_EQ(files_in(folder.path()), 0);
}

TEST(NewFile, IsRefusedWhereAFolderStands) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(NewFile{folder.path()}, Error);
}

TEST(NewFile, ReservedRoomIsZeroUntilItIsWritten) {
  const test::TemporaryFolder folder;
  NewFile file(folder.path() + "/a.bin");
  file.reserve(8);
  file.write_at(3, "abc");
  file.commit();
  EXPECT_EQ(read_text(file.path()), (std::string{0, 0, 0, 'a', 'b', 'c', 0, 0}));
}

TEST(NewFile, SaysThatThereIsNoRoomBeforeAnythingIsWritten) {
  rlimit former = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &former), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1000, former.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const test::TemporaryFolder folder;
  std::string message;
  try {
    NewFile(folder.path() + "/a.bin").reserve(5000);
  } catch (const Error& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &former);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, testing::HasSubstr("a.bin: no room for 5000 bytes: File too large"));
  EXPECT_EQ(files_in(folder.path()), 0);
}

}  // namespace
}  // namespace colonnade
