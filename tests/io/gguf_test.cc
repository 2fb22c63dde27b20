#include "colonnade/io/gguf.h"

#include <map>
#include <string>

#include "tests/support/environment.h"
#include "tests/support/gguf_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using test::GgufBuilder;
using test::le;
using ::testing::HasSubstr;

std::string error_of(const std::string& path) {
  try {
    const GgufFile file(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string read_string(const GgufFile& file, std::string_view name, int64_t begin, size_t size) {
  std::string bytes(size, '?');
  file.read(*file.find(name), begin, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

/// Shard `number` of `count`, with one tensor of 4 floats whose bytes are the letter.
std::string shard(uint16_t number, uint16_t count, const std::string& tensor, char letter,
                  int32_t tensors = 2) {
  GgufBuilder builder;
  if (number == 0) builder.add_string("general.architecture", "llama");
  builder.add("split.no", 2, le(number))
      .add("split.count", 2, le(count))
      .add("split.tensors.count", 5, le(tensors));
  return builder.add_tensor(tensor, {4}, 0, std::string(16, letter)).bytes();
}

class GgufFileTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

TEST_F(GgufFileTest, ReadsBytesOfATensorAndCountsThem) {
  std::string data(128, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>('0' + i % 64);
  const GgufFile file(folder_.write("m.gguf", GgufBuilder()
                                                  .add_tensor("a", {5}, 0, std::string(20, 'a'))
                                                  .add_tensor("b", {8, 4}, 0, data)
                                                  .bytes()));
  const int64_t header_bytes = file.bytes_read();
  EXPECT_EQ(read_string(file, "b", 0, 128), data);
  EXPECT_EQ(read_string(file, "b", 100, 28), data.substr(100));
  EXPECT_EQ(read_string(file, "a", 19, 1), "a");
  EXPECT_EQ(file.bytes_read() - header_bytes, 128 + 28 + 1);
  EXPECT_EQ(file.find("c"), nullptr);
}

TEST_F(GgufFileTest, ABytesRangeOutsideTheTensorIsRefused) {
  const GgufFile file(folder_.write("m.gguf", GgufBuilder()
                                                  .add_tensor("a", {8}, 0, std::string(32, 'a'))
                                                  .add_tensor("b", {8}, 0, std::string(32, 'b'))
                                                  .bytes()));
  EXPECT_THROW(read_string(file, "a", 0, 33), Error);
  EXPECT_THROW(read_string(file, "a", 33, 0), Error);
  EXPECT_THROW(read_string(file, "a", -1, 1), Error);
}

TEST_F(GgufFileTest, AnyShardOrTheFolderOpensASplitModel) {
  const std::string first = folder_.write("m-00001-of-00002.gguf", shard(0, 2, "a", 'a'));
  const std::string second = folder_.write("m-00002-of-00002.gguf", shard(1, 2, "b", 'b'));
  for (const std::string& path : {first, second, folder_.path()}) {
    const GgufFile file(path);
    EXPECT_EQ(file.files().size(), 2U);
    EXPECT_EQ(file.metadata().text("general.architecture"), "llama");
    EXPECT_EQ(read_string(file, "a", 0, 4), "aaaa");
    EXPECT_EQ(read_string(file, "b", 0, 4), "bbbb");
  }
}

TEST_F(GgufFileTest, ABrokenSplitIsNamed) {
  const std::string first = folder_.write("m-00001-of-00002.gguf", shard(0, 2, "a", 'a'));
  EXPECT_THAT(error_of(first), HasSubstr("shard 2 of 2 is missing: expected " + folder_.path() +
                                         "/m-00002-of-00002.gguf"));
  const std::string second = folder_.write("m-00002-of-00002.gguf", shard(0, 2, "b", 'b'));
  EXPECT_THAT(error_of(first),
              HasSubstr("m-00002-of-00002.gguf: expected shard 2 of 2 by its name"));
  folder_.write("m-00002-of-00002.gguf", shard(1, 3, "b", 'b'));
  EXPECT_THAT(
      error_of(first),
      HasSubstr("by its name, but the file says (split.no, split.count) that it is shard 2 of 3"));
  folder_.write("m-00002-of-00002.gguf", shard(1, 2, "a", 'b'));
  EXPECT_THAT(error_of(first), HasSubstr("tensor 'a': is in shard 1 and in shard 2"));
  folder_.write("m-00001-of-00002.gguf", shard(0, 2, "a", 'a', 3));
  folder_.write("m-00002-of-00002.gguf", shard(1, 2, "b", 'b', 3));
  EXPECT_THAT(error_of(first), HasSubstr("expected 3 tensors in the 2 shards, got 2"));
  folder_.write("m-00002-of-00002.gguf", shard(2, 2, "b", 'b'));
  EXPECT_THAT(error_of(second), HasSubstr("'split.no': expected 0 to 1, got 2"));
  EXPECT_THAT(error_of(folder_.write("renamed.gguf", shard(0, 2, "a", 'a'))),
              HasSubstr("expected a name that ends in '-00001-of-00002.gguf'"));
}

TEST_F(GgufFileTest, AFolderThatLacksAShardSaysWhich) {
  folder_.write("m-00001-of-00003.gguf", shard(0, 3, "a", 'a', 3));
  folder_.write("m-00003-of-00003.gguf", shard(2, 3, "c", 'c', 3));
  EXPECT_THAT(error_of(folder_.path()),
              HasSubstr("shard 2 of 3 is missing: expected " + folder_.path() + "/m-00002-of"));
  folder_.write("n-00001-of-00001.gguf", shard(0, 1, "a", 'a', 1));
  EXPECT_THAT(error_of(folder_.path()), HasSubstr("3 GGUF files that are not the shards of one"));
}

TEST_F(GgufFileTest, EveryFieldOfASplitIsChecked) {
  const auto whole = [](const std::string& entries) {
    return GgufBuilder().add("split.count", 2, entries).bytes();
  };
  EXPECT_EQ(error_of(folder_.write("w.gguf", whole(le<uint16_t>(0)))), "no error");
  EXPECT_EQ(error_of(folder_.write("w-00001-of-00001.gguf", whole(le<uint16_t>(1)))), "no error");
  EXPECT_THAT(
      error_of(folder_.write("m-00002-of-00003.gguf", whole(le<uint16_t>(0)))),
      HasSubstr("expected shard 2 of 3 by its name, but the file says (split.no, split.count) "
                "that it is shard 1 of 1"));
  const struct {
    const char* key;
    uint32_t type;
    std::string value;
    const char* words;
  } cases[] = {
      {"split.count", 5, le<int32_t>(-1), "'split.count': expected 1 to 99999, got -1 (offset "},
      {"split.count", 4, le<uint32_t>(100000), "'split.count': expected 1 to 99999, got 100000"},
      {"split.count", 8, test::gguf_string("two"),
       "'split.count': expected an integer, got a value"},
      {"split.no", 5, le<int32_t>(-1), "'split.no': expected 0 to 1, got -1 (offset "},
      {"split.no", 6, le(0.0F), "'split.no': expected an integer, got a value of type f32"},
      {"split.tensors.count", 7, le<uint8_t>(1), "'split.tensors.count': expected an integer"},
      {"split.tensors.count", 5, le<int32_t>(-2), "'split.tensors.count': expected -2 tensors in"},
  };
  folder_.write("m-00002-of-00002.gguf", shard(1, 2, "b", 'b', -2));
  for (const auto& wrong : cases) {
    GgufBuilder builder;
    builder.replace(wrong.key, wrong.type, wrong.value);
    builder.add("split.no", 2, le<uint16_t>(0)).add("split.count", 2, le<uint16_t>(2));
    builder.add("split.tensors.count", 5, le<int32_t>(2))
        .add_tensor("a", {4}, 0, std::string(16, 'a'));
    const std::string path = folder_.write("m-00001-of-00002.gguf", builder.bytes());
    EXPECT_THAT(error_of(path), HasSubstr(path + ": metadata key " + wrong.words));
  }
}

TEST_F(GgufFileTest, ShardsThatCountTensorsDifferentlyAreRefused) {
  const std::string first = folder_.write("m-00001-of-00002.gguf", shard(0, 2, "a", 'a', 2));
  folder_.write("m-00002-of-00002.gguf", shard(1, 2, "b", 'b', 5));
  EXPECT_THAT(error_of(first),
              HasSubstr("m-00002-of-00002.gguf: metadata key 'split.tensors.count': "
                        "expected 2, as the first shard says, got 5 (offset "));
}

TEST_F(GgufFileTest, AFolderMustHoldOneModel) {
  EXPECT_THAT(error_of(folder_.path()), HasSubstr("without a GGUF file"));
  const std::string model = GgufBuilder().add_tensor("a", {4}, 0, std::string(16, 'a')).bytes();
  folder_.write("a.gguf", model);
  folder_.write("README.md", "words");
  EXPECT_EQ(GgufFile(folder_.path()).path(), folder_.path() + "/a.gguf");
  folder_.write("b.gguf", model);
  EXPECT_THAT(error_of(folder_.path()),
              HasSubstr("2 GGUF files that are not the shards of one model (a.gguf, b.gguf)"));
}

TEST_F(GgufFileTest, APathThatIsNoFileIsNamed) {
  EXPECT_THAT(error_of(folder_.path() + "/absent.gguf"), HasSubstr("absent.gguf: no such file"));
}

TEST(GgufFileModels, TheRealModelsHoldTheTensorsTheyAreKnownFor) {
  using Types = std::map<std::string, int>;
  const struct {
    const char* name;
    const char* architecture;
    Types types;
  } cases[] = {
      {"smollm2-135m", "llama", {{"Q4_1", 210}, {"Q8_0", 1}, {"F32", 61}}},
      {"qwen2.5-coder-0.5b",
       "qwen2",
       {{"Q5_0", 133}, {"Q8_0", 13}, {"Q4_K", 12}, {"Q6_K", 12}, {"F32", 121}}},
  };
  for (const auto& expected : cases) {
    const std::string path = test::cached_model(expected.name);
    if (path.empty()) GTEST_SKIP() << "fetch it with tools/get_model " << expected.name;
    const GgufFile file(path);
    Types types;
    for (const GgufTensor& tensor : file.tensors()) ++types[name_of(tensor.type)];
    EXPECT_EQ(types, expected.types);
    EXPECT_EQ(file.metadata().text("general.architecture"), expected.architecture);
  }
}

}  // namespace
}  // namespace colonnade
