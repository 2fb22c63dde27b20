#include "colonnade/comm/collectives.h"

#include <cstring>
#include <functional>
#include <random>

#include "tests/support/forked_ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/half.h"
#include "colonnade/comm/thread_ranks.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

constexpr uint64_t kSeed = 7;
constexpr int64_t kSmallestPart = 4096;  // a page
constexpr Reduction kReductions[] = {Reduction::sum, Reduction::max, Reduction::min};
/// Elements of the shapes (7,), (10,), (1024,), (1024, 1024) and the one without dimensions.
constexpr int64_t kCounts[] = {7, 10, 1024, 1024 * 1024, 1};

using Bytes = std::vector<std::byte>;

/// What `rank` has: numbers of moderate size, so that no float is infinite.
Bytes elements(int rank, int64_t count, DType dtype) {
  std::mt19937_64 random(kSeed + static_cast<uint64_t>(rank));
  Bytes all(static_cast<size_t>(count * size_of(dtype)));
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = random();
    const auto value = static_cast<double>(static_cast<int64_t>(bits)) * 0x1p-60;
    std::byte* at = all.data() + i * size_of(dtype);
    const auto put = [&](auto element) { std::memcpy(at, &element, sizeof element); };
    switch (dtype) {
      case DType::boolean:
        put(static_cast<uint8_t>(bits & 1));
        break;
      case DType::bf16:
        put(f32_to_bf16(static_cast<float>(value)));
        break;
      case DType::f16:
        put(f32_to_f16(static_cast<float>(value)));
        break;
      case DType::f32:
        put(static_cast<float>(value));
        break;
      case DType::f64:
        put(value);
        break;
      default:
        std::memcpy(at, &bits, static_cast<size_t>(size_of(dtype)));
        break;
    }
  }
  return all;
}

/// What each of `ranks` has.
std::vector<Bytes> elements_of_ranks(int ranks, int64_t count, DType dtype) {
  std::vector<Bytes> all;
  for (int r = 0; r < ranks; ++r) all.push_back(elements(r, count, dtype));
  return all;
}

/// The first `ranks` of them, reduced in one process.
Bytes expected(const std::vector<Bytes>& all, int ranks, DType dtype, Reduction reduction) {
  std::vector<const std::byte*> inputs;
  for (int r = 0; r < ranks; ++r) inputs.push_back(all[static_cast<size_t>(r)].data());
  Bytes out(all[0].size());
  reduce(out.data(), inputs, static_cast<int64_t>(out.size()) / size_of(dtype), dtype, reduction);
  return out;
}

struct Sum {
  DType dtype;
  Reduction reduction = Reduction::sum;
  int64_t part_bytes = int64_t{1} << 20;
};

void expect_all_reduced(const std::vector<Bytes>& all, int ranks, const Sum& sum) {
  const Bytes result = expected(all, ranks, sum.dtype, sum.reduction);
  const int64_t count = static_cast<int64_t>(result.size()) / size_of(sum.dtype);
  run_as_threads(
      ranks,
      [&](Group& group) {
        Bytes mine = all[static_cast<size_t>(group.rank())];
        all_reduce(group, mine.data(), count, sum.dtype, sum.reduction, "test");
        EXPECT_TRUE(mine == result) << name_of(sum.dtype) << " " << count << " of " << ranks;
      },
      sum.part_bytes);
}

TEST(AllReduce, EveryTypeAndShapeHasTheBitsOfOneProcessOnEveryRank) {
  for (const DType dtype : kDTypes) {
    for (const int64_t count : kCounts) {
      const int most = count > 2000 ? 4 : 8;  // 3 and 4 cut parts into pieces too
      const std::vector<Bytes> all = elements_of_ranks(most, count, dtype);
      for (const int ranks : {1, 2, 3, 4, 5, 8}) {
        if (ranks <= most) expect_all_reduced(all, ranks, {dtype});
      }
    }
  }
}

TEST(AllReduce, SizesOfPartsChangeNoBit) {
  for (const DType dtype : kDTypes) {
    const std::vector<Bytes> all = elements_of_ranks(3, 50'001, dtype);
    for (const Reduction reduction : kReductions) {
      for (const int64_t part : {kSmallestPart, 20 * kSmallestPart}) {
        expect_all_reduced(all, 3, {dtype, reduction, part});
      }
    }
  }
}

TEST(AllReduce, ProcessesHaveTheSameBits) {
  const std::vector<Bytes> all = elements_of_ranks(3, 100'000, DType::bf16);
  const Bytes result = expected(all, 3, DType::bf16, Reduction::sum);
  for (const test::ChildResult& child : test::run_as_processes(3, [&](Group& group) {
         Bytes mine = all[static_cast<size_t>(group.rank())];
         all_reduce(group, mine.data(), 100'000, DType::bf16, Reduction::sum, "test");
         EXPECT_TRUE(mine == result);
       })) {
    EXPECT_EQ(child.exit_code, 0) << child.thrown;
  }
}

TEST(AllReduce, OfNothingIsAMeeting) {
  run_as_threads(3, [](Group& group) {
    all_reduce(group, nullptr, 0, DType::f32, Reduction::sum, "test");
    std::vector<int64_t> none;
    all_reduce(group, none, "test");
    barrier(group, "test");
  });
}

TEST(AllReduce, CountsThatDifferAreAnErrorOnEveryRankAndTheGroupLivesOn) {
  run_as_threads(
      3,
      [](Group& group) {
        Bytes data(group.rank() == 1 ? 40000 : 400);
        EXPECT_THAT(test::thrown_by([&] {
                      all_reduce(group, data.data(), static_cast<int64_t>(data.size()), DType::u8,
                                 Reduction::sum, "blk.0.ffn_down");
                    }),
                    HasSubstr("Error: blk.0.ffn_down: expected as many bytes from rank 1 as from "
                              "rank 0, 400, got 4096"));
        barrier(group, "test");
      },
      kSmallestPart);
}

TEST(ReduceScatter, GivesEachRankItsPieceOfTheReduction) {
  for (const DType dtype : {DType::f16, DType::f32, DType::i64, DType::u8}) {
    for (const int64_t count : {0, 5, 1000, 30'000}) {
      for (const auto& shares : {std::vector<double>{1, 1, 1}, {5, 1, 2}, {1, 1000, 1}}) {
        const Partition pieces(count, 8, shares);
        const std::vector<Bytes> all = elements_of_ranks(3, count, dtype);
        const Bytes result = expected(all, 3, dtype, Reduction::sum);
        run_as_threads(
            3,
            [&](Group& group) {
              const Range own = pieces.of(group.rank());
              const Bytes& data = all[static_cast<size_t>(group.rank())];
              Bytes mine(static_cast<size_t>(own.size() * size_of(dtype)));
              reduce_scatter(group, data.data(), mine.data(), pieces, dtype, Reduction::sum,
                             "test");
              EXPECT_EQ(mine, Bytes(result.begin() + own.begin * size_of(dtype),
                                    result.begin() + own.end * size_of(dtype)));
            },
            kSmallestPart);
      }
    }
  }
}

TEST(ReduceScatter, NeedsAPieceForEachRank) {
  SoloGroup group;
  float x = 1, y = 0;
  EXPECT_THROW(
      reduce_scatter(group, &x, &y, Partition(1, 1, 2), DType::f32, Reduction::sum, "test"), Error);
  reduce_scatter(group, &x, &y, Partition(1, 1, 1), DType::f32, Reduction::sum, "test");
  EXPECT_EQ(y, 1.0F);
}

/// What `from` has for `to`, of a size of its own: none, some, more than one part.
Bytes message(int from, int to) {
  constexpr int64_t kSizes[] = {0, 1, 100, 3 * kSmallestPart + 5, 4088, 4096};
  return elements(from * 16 + to, kSizes[(from * 5 + to * 3) % 6], DType::u8);
}

void on_groups(const std::function<void(Group&)>& body) {
  for (const int ranks : {1, 2, 3, 4, 7}) run_as_threads(ranks, body, kSmallestPart);
  SoloGroup solo(kSmallestPart);
  body(solo);
}

TEST(AllGather, GivesEveryRankWhatAllHave) {
  on_groups([](Group& group) {
    const auto all = all_gather(group, message(group.rank(), 0), "test");
    ASSERT_EQ(all.size(), static_cast<size_t>(group.size()));
    for (int r = 0; r < group.size(); ++r) EXPECT_EQ(all[static_cast<size_t>(r)], message(r, 0));
  });
}

TEST(Gather, GivesTheRootWhatAllHaveAndTheOthersNothing) {
  on_groups([](Group& group) {
    std::vector<Bytes> all = {Bytes(5)};
    const int root = group.size() - 1;
    for (int round = 0; round < 3; ++round) {
      gather(group, message(group.rank(), round), root, all, "test");
      ASSERT_EQ(all.size(), static_cast<size_t>(group.rank() == root ? group.size() : 0));
      for (size_t r = 0; r < all.size(); ++r) {
        EXPECT_EQ(all[r], message(static_cast<int>(r), round));
      }
    }
  });
}

TEST(Broadcast, GivesEveryRankWhatTheRootHas) {
  on_groups([](Group& group) {
    for (int root = 0; root < group.size(); ++root) {
      for (int to = 0; to < 6; ++to) {
        Bytes bytes = group.rank() == root ? message(root, to) : Bytes(9);
        broadcast(group, bytes, root, "test");
        EXPECT_EQ(bytes, message(root, to));
      }
    }
  });
}

TEST(AllToAll, GivesEveryRankWhatEachHasForIt) {
  on_groups([](Group& group) {
    std::vector<Bytes> mine;
    for (int to = 0; to < group.size(); ++to) mine.push_back(message(group.rank(), to));
    const std::vector<std::span<const std::byte>> views(mine.begin(), mine.end());
    const auto all = all_to_all(group, views, "test");
    ASSERT_EQ(all.size(), views.size());
    for (int r = 0; r < group.size(); ++r) {
      EXPECT_EQ(all[static_cast<size_t>(r)], message(r, group.rank()));
    }
  });
}

TEST(AllToAll, NeedsSomethingForEachRank) {
  SoloGroup group;
  EXPECT_THROW(all_to_all(group, {}, "test"), Error);
}

TEST(Collectives, InAnyOrderOnPartsOfAGroup) {
  run_as_threads(
      6,
      [](Group& group) {
        const std::unique_ptr<Group> part = group.split(group.rank() % 2, -group.rank());
        for (int i = 0; i < 10; ++i) {
          std::vector<int64_t> x(2000, part->rank() + 1);
          all_reduce(*part, x, "x");
          for (const int64_t value : x) ASSERT_EQ(value, 6);
          Bytes bytes = message(group.rank(), i);
          broadcast(*part, bytes, 1, "bytes");
          EXPECT_EQ(bytes, message(2 + group.rank() % 2, i));
          EXPECT_EQ(all_gather(group, bytes, "all").size(), 6u);
        }
      },
      kSmallestPart);
}

}  // namespace
}  // namespace colonnade
