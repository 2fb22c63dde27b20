#include "colonnade/io/rank_file.h"

#include <functional>

#include "tests/io/cut_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using ::testing::HasSubstr;

/// A file as `header` says it, with tensors of zeros.
std::string write_file(const test::TemporaryFolder& folder, const RankFileHeader& header,
                       std::vector<GgufEntry> entries) {
  const std::string path = folder.path() + "/m-rank-0-of-2.gguf";
  const std::vector<GgufTensorSpec> specs = rank_tensors(header);
  GgufWriter writer(path, entries, specs);
  for (size_t i = 0; i < specs.size(); ++i)
    writer.write(i, 0, std::vector<std::byte>(static_cast<size_t>(specs[i].size_bytes())));
  writer.commit();
  return path;
}

std::string error_of(const std::string& path) {
  try {
    read_rank_header(GgufFile(path));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RankFile, WhatIsWrittenIsRead) {
  const test::TemporaryFolder folder;
  RankFileHeader header = test::cut_headers(2)[1];
  header.shares = {1.0 / 3, 0.1};
  const GgufFile file(write_file(folder, header, rank_metadata(header)));
  EXPECT_TRUE(is_rank_file(file.metadata()));
  const RankFileHeader read = read_rank_header(file);
  EXPECT_EQ(read.rank, 1);
  EXPECT_EQ(read.ranks, 2);
  EXPECT_EQ(read.shares, header.shares);
  EXPECT_EQ(read.model, "digest");
  EXPECT_EQ(read.tensors, header.tensors);
  for (size_t i = 0; i < read.pieces.size(); ++i) {
    EXPECT_EQ(read.pieces[i].rows, header.pieces[i].rows);
    EXPECT_EQ(read.pieces[i].cols, header.pieces[i].cols);
  }
}

TEST(RankFile, AModelThatIsWholeIsNone) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(is_rank_file(GgufFile(folder.write("m.gguf", test::whole_model())).metadata()));
}

TEST(RankFile, AKeyThatIsWrongIsNamed) {
  using Change = std::function<void(RankFileHeader&)>;
  const struct {
    const char* message;
    Change change;
  } cases[] = {
      {"'colonnade.shard.rank': expected 0 to 1, got 2", [](auto& h) { h.rank = 2; }},
      {"'colonnade.shard.count': expected 1 to 1048576, got 0", [](auto& h) { h.ranks = 0; }},
      {"'colonnade.shard.shares': expected an f64 for each of 2 ranks, got 1",
       [](auto& h) { h.shares = {1}; }},
      {"'colonnade.shard.types': expected F32", [](auto& h) { h.tensors[0].type = GgmlType{77}; }},
      {"'colonnade.shard.shapes': expected rows and whole blocks of Q4_K, got 3, 1000",
       [](auto& h) { h.tensors[2].cols = 1000; }},
      {"'colonnade.shard.shapes': expected rows", [](auto& h) { h.tensors[0].rows = -1; }},
      {"'colonnade.shard.shapes': expected rows",
       [](auto& h) { h.tensors[0].rows = h.tensors[0].cols = int64_t{1} << 40; }},
      {"'colonnade.shard.pieces': expected ranges inside of 'dense_rows.weight', got rows 0 to 13",
       [](auto& h) { h.pieces[0].rows.end = 13; }},
      {"'colonnade.shard.pieces': expected ranges inside of 'supers.weight'",
       [](auto& h) { h.pieces[2].cols.begin = 80; }},
      {"'colonnade.shard.pieces': expected 24 numbers, got 20",
       [](auto& h) { h.pieces.pop_back(); }},
      {"tensor 'dense_rows.weight': expected 5 rows of 64 elements of F32 as its keys say, got 6 "
       "of "
       "64 of F32",
       [](auto& h) { h.pieces[0].rows.end = 5; }},
      {"expected 5 tensors as its keys say, got 6", [](auto& h) { h.pieces[0] = {}; }},
  };
  for (const auto& [message, change] : cases) {
    const test::TemporaryFolder folder;
    const RankFileHeader header = test::cut_headers(2)[0];
    RankFileHeader wrong = header;
    change(wrong);
    EXPECT_THAT(error_of(write_file(folder, header, rank_metadata(wrong))), HasSubstr(message));
  }
}

TEST(RankFile, AKeyThatIsMissingIsNamed) {
  const RankFileHeader header = test::cut_headers(2)[0];
  for (const GgufEntry& without : rank_metadata(header)) {
    const test::TemporaryFolder folder;
    std::vector<GgufEntry> entries = rank_metadata(header);
    std::erase_if(entries, [&](const GgufEntry& entry) { return entry.key == without.key; });
    EXPECT_THAT(error_of(write_file(folder, header, entries)), HasSubstr(without.key));
  }
}

TEST(RankFile, AllFilesOfAModelAreFoundByOneOrByTheirFolder) {
  const test::TemporaryFolder folder;
  const std::string stem = folder.path() + "/my-rank-model";
  for (int rank = 0; rank < 2; ++rank) folder.write(rank_file_name("my-rank-model", rank, 2), "x");
  folder.write("notes.txt", "x");
  const std::vector<std::string> expected = {stem + "-rank-0-of-2.gguf",
                                             stem + "-rank-1-of-2.gguf"};
  EXPECT_EQ(find_rank_files(folder.path()), expected);
  EXPECT_EQ(find_rank_files(expected[1]), expected);
  EXPECT_TRUE(find_rank_files(folder.path() + "/model.gguf").empty());
  EXPECT_TRUE(find_rank_files(folder.path() + "/m-rank-2-of-2.gguf").empty());
  EXPECT_TRUE(find_rank_files(folder.path() + "/m-rank-x-of-2.gguf").empty());
  folder.write("other-rank-0-of-2.gguf", "x");
  EXPECT_THROW(find_rank_files(folder.path()), Error);
}

}  // namespace
}  // namespace colonnade
