#include "colonnade/io/piece_source.h"

#include <filesystem>

#include "tests/io/cut_model.h"
#include "tests/support/bits.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade {
namespace {

using test::cut_model;
using test::CutRule;
using test::kCutHead;
using test::kCutRules;
using ::testing::HasSubstr;

bool same_rows(const GroupedRows& a, const GroupedRows& b) {
  return a.format == b.format && a.rows == b.rows && a.begin == b.begin && a.cols == b.cols &&
         a.codes == b.codes && a.scales == b.scales && a.offsets == b.offsets &&
         a.sub_scales == b.sub_scales && a.sub_offsets == b.sub_offsets;
}

/// Whether both deliver the same for the rows `rows` of a slice.
bool same_slice(const TensorSource& a, const TensorSource& b, const std::string& name,
                const MatrixSlice& slice, Range rows) {
  const TensorEntry& entry = *b.find(name);
  const RowSource from_a = a.rows(*a.find(name), slice), from_b = b.rows(entry, slice);
  if (is_grouped(entry.format)) {
    GroupedRows rows_a, rows_b;
    from_a.grouped(rows, rows_a);
    from_b.grouped(rows, rows_b);
    return same_rows(rows_a, rows_b);
  }
  const int64_t bytes =
      rows.size() * slice.cols.size() * (entry.format == WeightFormat::f32 ? 4 : 2);
  std::vector<std::byte> bytes_a(static_cast<size_t>(bytes)), bytes_b(bytes_a.size());
  from_a.dense(rows, bytes_a.data());
  from_b.dense(rows, bytes_b.data());
  return bytes_a == bytes_b;
}

template <typename F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class PieceSourceTest : public testing::Test {
 protected:
  std::vector<std::string> cut(int ranks) const {
    return cut_model(whole_file_, folder_.path() + "/m", ranks);
  }

  test::TemporaryFolder folder_;
  const GgufFile whole_file_ = GgufFile(folder_.write("whole.gguf", test::whole_model()));
  const GgufSource whole_{whole_file_};
};

TEST_F(PieceSourceTest, EntriesAreThoseOfTheWholeModel) {
  const PieceFiles files(cut(3));
  const PieceSource pieces(files);
  ASSERT_EQ(pieces.entries().size(), whole_.entries().size());
  for (const TensorEntry& entry : whole_.entries()) {
    const TensorEntry* piece = pieces.find(entry.name);
    ASSERT_NE(piece, nullptr) << entry.name;
    EXPECT_EQ(piece->format, entry.format);
    EXPECT_EQ(piece->rows, entry.rows);
    EXPECT_EQ(piece->cols, entry.cols);
    EXPECT_EQ(piece->file_bytes, entry.file_bytes);
  }
  EXPECT_EQ(pieces.find("nothing"), nullptr);
}

TEST_F(PieceSourceTest, EveryRanksSliceOfAnyCutIsThatOfTheWholeModel) {
  for (const int ranks : {1, 2, 3, 5}) {
    const PieceFiles files(cut(ranks));
    const PieceSource pieces(files);
    for (const CutRule& rule : kCutRules) {
      for (const int others : {1, 2, 3, 5}) {
        for (int rank = 0; rank < others; ++rank) {
          const TensorPiece part = test::needed(rule, rank, others);
          if (part.empty()) continue;
          EXPECT_TRUE(
              same_slice(pieces, whole_, rule.name, {part.rows, part.cols}, {0, part.rows.size()}))
              << rule.name << " cut by " << ranks << ", rank " << rank << " of " << others;
        }
      }
    }
  }
}

TEST_F(PieceSourceTest, RandomSlicesAndRowsAreThoseOfTheWholeModel) {
  test::Random random(5);
  const auto range = [&](int64_t size) {
    const int64_t begin = random.integer(0, size - 1);
    return Range{begin, random.integer(begin + 1, size)};
  };
  const PieceFiles files(cut(3));
  const PieceSource pieces(files);
  for (int i = 0; i < 400; ++i) {
    const CutRule& rule = kCutRules[i % std::size(kCutRules)];
    const MatrixSlice slice{range(rule.rows), range(rule.cols)};
    const Range rows = range(slice.rows.size());
    EXPECT_TRUE(same_slice(pieces, whole_, rule.name, slice, rows))
        << rule.name << " [" << slice.rows.begin << ", " << slice.rows.end << ") x ["
        << slice.cols.begin << ", " << slice.cols.end << "), rows " << rows.begin << " to "
        << rows.end;
  }
}

TEST_F(PieceSourceTest, HeadsWhosePairsStandSideBySideStayTogether) {
  const PieceFiles files(cut(3));
  const PieceSource pieces(files);
  for (const Range heads : {Range{0, 4}, Range{1, 3}, Range{2, 4}}) {
    const MatrixSlice slice{{heads.begin * kCutHead, heads.end * kCutHead}, {0, 64}, kCutHead};
    EXPECT_TRUE(same_slice(pieces, whole_, "heads.weight", slice, {0, slice.rows.size()}));
    EXPECT_TRUE(same_slice(pieces, whole_, "heads.weight", slice, {3, slice.rows.size() - 1}));
  }
}

TEST_F(PieceSourceTest, ARankReadsNothingButItsOwnFile) {
  const std::vector<std::string> paths = cut(3);
  for (int rank = 0; rank < 3; ++rank) {
    const PieceFiles files(paths);
    const PieceSource pieces(files, rank);
    std::vector<int64_t> before;
    for (const auto& file : files.files()) before.push_back(file->file.bytes_read());
    for (const CutRule& rule : kCutRules) {
      const TensorPiece part = test::needed(rule, rank, 3);
      const TensorEntry& entry = *pieces.find(rule.name);
      if (rule.unit == 0) {
        EXPECT_EQ(pieces.values(entry), whole_.values(*whole_.find(rule.name)));
      } else if (!part.empty()) {
        EXPECT_TRUE(
            same_slice(pieces, whole_, rule.name, {part.rows, part.cols}, {0, part.rows.size()}));
      }
    }
    for (int other = 0; other < 3; ++other) {
      const auto i = static_cast<size_t>(other);
      const int64_t read = files.files()[i]->file.bytes_read() - before[i];
      EXPECT_EQ(read > 0, other == rank) << "rank " << rank << ", file " << other;
    }
  }
}

TEST_F(PieceSourceTest, OneFileIsEnoughForItsRankAndTheOthersAreNamed) {
  const std::vector<std::string> paths = cut(2);
  std::filesystem::remove(paths[0]);
  const PieceFiles files(paths, {1});
  const PieceSource pieces(files, 1);
  EXPECT_EQ(pieces.entries().size(), whole_.entries().size());
  EXPECT_TRUE(same_slice(pieces, whole_, "dense_rows.weight", {{6, 12}, {0, 64}}, {0, 6}));
  EXPECT_THAT(error_of([&] {
                pieces.rows(*pieces.find("dense_rows.weight"), {{5, 7}, {0, 64}});
              }),
              HasSubstr("tensor 'dense_rows.weight': row 5, column 0 is in none of the rank files "
                        "that are here; missing: " +
                        paths[0]));
}

TEST_F(PieceSourceTest, AMissingFileIsNamed) {
  const std::vector<std::string> paths = cut(3);
  std::filesystem::remove(paths[1]);
  EXPECT_THAT(error_of([&] { PieceFiles{paths}; }),
              HasSubstr(paths[1] + ": the file of rank 1 of 3 is missing"));
}

TEST_F(PieceSourceTest, APieceOfAnotherModelOrAnotherCutIsNamed) {
  const std::vector<std::string> paths = cut(2);
  const std::string other = folder_.path() + "/other";
  std::vector<std::string> foreign = cut_model(whole_file_, other, 2, "another digest");
  EXPECT_THAT(error_of([&] {
                PieceFiles({paths[0], foreign[1]});
              }),
              HasSubstr(foreign[1] + ": is a piece of another model, or was cut otherwise, than " +
                        paths[0]));
  EXPECT_THAT(
      error_of([&] {
        PieceFiles({paths[1], paths[0]});
      }),
      HasSubstr("expected rank 0 of 2 by its name, but the file says that it is rank 1 of 2"));
  EXPECT_THAT(
      error_of([&] {
        PieceFiles({paths[0], cut(3)[1]});
      }),
      HasSubstr("expected rank 1 of 2 by its name, but the file says that it is rank 1 of 3"));
}

TEST_F(PieceSourceTest, ATensorOfPiecesHasNoValuesAtOnce) {
  const PieceFiles files(cut(2));
  const PieceSource pieces(files);
  EXPECT_THAT(error_of([&] { pieces.values(*pieces.find("dense_rows.weight")); }),
              HasSubstr("'dense_rows.weight': expected one file that holds all of it"));
}

}  // namespace
}  // namespace colonnade
