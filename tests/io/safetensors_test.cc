#include "colonnade/io/safetensors.h"

#include <filesystem>
#include <string>

#include "tests/support/gguf_builder.h"
#include "tests/support/safetensors_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using test::SafetensorsBuilder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFirst = "model-00001-of-00002.safetensors";
constexpr const char* kSecond = "model-00002-of-00002.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

std::string index_of(const std::string& map) { return "{\"weight_map\": {" + map + "}}"; }

std::string place(const std::string& tensor, const std::string& file) {
  return "\"" + tensor + "\": \"" + file + "\"";
}

class SafetensorsTest : public ::testing::Test {
 protected:
  /// Two files with an index; "a" and "b" are in the first, "c" in the second.
  void write_two() const {
    folder_.write(
        kFirst, SafetensorsBuilder().add("a", "U8", {3}, "abc").add("b", "U8", {2}, "de").bytes());
    folder_.write(kSecond, SafetensorsBuilder().add("c", "U8", {4}, "fghi").bytes());
    folder_.write(kIndex, index_of(place("a", kFirst) + "," + place("b", kFirst) + "," +
                                   place("c", kSecond)));
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  static std::string bytes_of(const SafetensorsFiles& files, const std::string& name) {
    const SafetensorsTensor* tensor = files.find(name);
    if (tensor == nullptr) return "none";
    std::string bytes(static_cast<size_t>(tensor->size_bytes), '\0');
    files.read(*tensor, 0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }
  static std::string error(const std::string& path) {
    try {
      const SafetensorsFiles files(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  test::TemporaryFolder folder_;
};

TEST_F(SafetensorsTest, TheIndexTheFolderAndAnyFileAreTheSameModel) {
  write_two();
  for (const std::string& start : {folder_.path(), path(kIndex), path(kFirst), path(kSecond)}) {
    const SafetensorsFiles files(start);
    EXPECT_EQ(files.tensors().size(), 3U) << start;
    EXPECT_EQ(files.files().size(), 2U);
    const int64_t before = files.bytes_read();
    EXPECT_EQ(bytes_of(files, "b"), "de");
    EXPECT_EQ(bytes_of(files, "c"), "fghi");
    EXPECT_EQ(bytes_of(files, "d"), "none");
    EXPECT_EQ(files.bytes_read() - before, 6);
    EXPECT_EQ(files.path(), path(kIndex));
    EXPECT_THAT(files.warnings(), IsEmpty());
    EXPECT_EQ(files.size_bytes(), static_cast<int64_t>(std::filesystem::file_size(path(kFirst)) +
                                                       std::filesystem::file_size(path(kSecond))));
  }
}

TEST_F(SafetensorsTest, OneFileNeedsNoIndex) {
  folder_.write("model.safetensors", SafetensorsBuilder().add("a", "U8", {1}, "x").bytes());
  EXPECT_EQ(bytes_of(SafetensorsFiles(folder_.path()), "a"), "x");
  EXPECT_EQ(bytes_of(SafetensorsFiles(path("model.safetensors")), "a"), "x");
  folder_.write("other.safetensors", SafetensorsBuilder().add("a", "U8", {1}, "y").bytes());
  EXPECT_EQ(bytes_of(SafetensorsFiles(folder_.path()), "a"), "x");
  std::filesystem::remove(path("model.safetensors"));
  EXPECT_EQ(bytes_of(SafetensorsFiles(folder_.path()), "a"), "y");
}

TEST_F(SafetensorsTest, FilesThatTheIndexDoesNotNameAreIgnored) {
  write_two();
  folder_.write("extra.safetensors", "no safetensors file at all");
  EXPECT_EQ(SafetensorsFiles(folder_.path()).tensors().size(), 3U);
  folder_.write("alone.safetensors", SafetensorsBuilder().add("z", "U8", {1}, "z").bytes());
  EXPECT_EQ(bytes_of(SafetensorsFiles(path("alone.safetensors")), "z"), "z");
}

TEST_F(SafetensorsTest, AMissingFileIsNamed) {
  write_two();
  std::filesystem::remove(path(kSecond));
  EXPECT_THAT(error(folder_.path()),
              AllOf(HasSubstr("model.safetensors.index.json: the index names 2 files, of which 1 is"
                              " not there: 'model-00002-of-00002.safetensors'")));
  std::filesystem::create_symlink("../blobs/abc", path(kSecond));
  EXPECT_THAT(error(folder_.path()),
              HasSubstr("not ../blobs/abc, to which it leads: the download is not complete"));
  std::filesystem::remove(path(kIndex));
  EXPECT_THAT(error(path(kSecond)), HasSubstr("no such file: a link is there, but not ../blobs"));
}

TEST_F(SafetensorsTest, AStaleIndexLoadsWithAWarning) {
  write_two();
  folder_.write(kIndex, index_of(place("a", kSecond) + "," + place("b", kFirst) + "," +
                                 place("old", kSecond)));
  const SafetensorsFiles files(folder_.path());
  EXPECT_EQ(bytes_of(files, "a"), "abc");
  EXPECT_EQ(bytes_of(files, "c"), "fghi");
  EXPECT_THAT(files.warnings(),
              ElementsAre(HasSubstr("tensors that it names and none of them has (1): 'old'"),
                          HasSubstr("tensors in another file than it says (1): 'a'"),
                          HasSubstr("tensors that it does not name (1): 'c'")));
}

TEST_F(SafetensorsTest, AFileThatIsCutShortIsNamedWithWhatIsMissing) {
  write_two();
  constexpr int64_t kMiB = 1 << 20;
  const std::string data(3 * kMiB, 'x');
  folder_.write(kSecond, SafetensorsBuilder().add("c", "U8", {3, kMiB}, data).bytes());
  ASSERT_EQ(error(folder_.path()), "accepted");
  std::filesystem::resize_file(path(kSecond), std::filesystem::file_size(path(kSecond)) - kMiB);
  EXPECT_THAT(error(folder_.path()),
              AllOf(HasSubstr(std::string(kSecond) + ": header: tensor 'c'"),
                    HasSubstr("1048576 bytes are missing, the file is cut short")));
}

TEST_F(SafetensorsTest, ATensorInTwoFilesIsNamedWithBoth) {
  write_two();
  folder_.write(kSecond, SafetensorsBuilder().add("a", "U8", {3}, "abc").bytes());
  EXPECT_THAT(error(folder_.path()), AllOf(HasSubstr("tensor 'a': is in "), HasSubstr(kFirst),
                                           HasSubstr(std::string("and in ") + folder_.path())));
}

TEST_F(SafetensorsTest, AFileThatIsAnotherThingIsNamed) {
  write_two();
  folder_.write(kSecond, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
  EXPECT_THAT(error(folder_.path()), AllOf(HasSubstr(kSecond), HasSubstr("Git LFS pointer")));
  folder_.write(kSecond, "<html>Not found</html>");
  EXPECT_THAT(error(folder_.path()), AllOf(HasSubstr(kSecond), HasSubstr("web page")));
}

TEST_F(SafetensorsTest, AFolderWithoutAModelOrWithSeveralIsNamed) {
  EXPECT_THAT(error(folder_.path()), HasSubstr("is a folder without a safetensors file"));
  write_two();
  std::filesystem::remove(path(kIndex));
  EXPECT_THAT(error(folder_.path()),
              AllOf(HasSubstr("2 safetensors files (model-00001"), HasSubstr("without the index"),
                    HasSubstr("expected model.safetensors.index.json")));
  EXPECT_THAT(error(path("none.safetensors")), HasSubstr("none.safetensors: no such file"));
}

TEST_F(SafetensorsTest, BytesOutsideOfATensorAreNotRead) {
  write_two();
  const SafetensorsFiles files(folder_.path());
  std::byte two[2];
  EXPECT_THROW(files.read(*files.find("a"), 2, two), Error);
  EXPECT_THROW(files.read(*files.find("a"), -1, two), Error);
  EXPECT_NO_THROW(files.read(*files.find("a"), 1, two));
}

}  // namespace
}  // namespace colonnade
