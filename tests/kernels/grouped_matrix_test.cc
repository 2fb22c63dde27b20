// The many-row kernel on emulated matrix tiles gives the scalar table's bits: packing, control flow
// and quick exact sums of the AMX table, on every host. A CPU with AMX also runs the real one in
// matmul_test.
#define CN_ISA emulated_tiles
#define CN_VEC "colonnade/kernels/vec_scalar.inl.h"
#define CN_TILES "tests/kernels/tiles_emulated.inl.h"
#define CN_QUICK_LEAVES true

#include "tests/kernels/random_operands.h"
#include <gtest/gtest.h>

#include "colonnade/kernels/grouped_many.inl.h"

namespace colonnade::kernels::test {
namespace {

template <GroupedKind K>
void on_tiles(const GroupedOperand& w, const CodesView& x, Span panels, const ProductOut& out,
              Scratch scratch) {
  constexpr P16Format F = p16_format(K);
  constexpr P16Format E = emulated_tiles::expanded_format<F>();
  if (x.lo != nullptr) {
    emulated_tiles::many_panels<E, true>(
        w.view, x, emulated_tiles::packing_of<F, true>(w.view.scales), panels, out, scratch);
  } else {
    emulated_tiles::many_panels<E, false>(
        w.view, x, emulated_tiles::packing_of<F, false>(w.view.scales), panels, out, scratch);
  }
}

template <GroupedKind K>
void expect_the_scalar_tables_bits(int seed) {
  std::mt19937 random(seed);
  AlignedBytes memory(kScratchBytes);
  const Scratch scratch = {memory.data(), kScratchBytes};
  const KernelTable& scalar = *table_for(Isa::scalar);
  const std::vector<Plan> plans = {
      make_plan({std::vector<int32_t>(16, 32), {32, 32, 32}}, 8), make_plan({{32}, {32}, {32}}, 1),
      make_plan({{32, 32, 16}, {16, -16, 16, -16, 16}, {32, 32, 16}}, 2)};
  for (const Plan& plan : plans) {
    for (const int64_t tokens : {31, 32, 33, 71}) {
      for (const bool int15 : {false, true}) {
        const int64_t rows = 16 * 2 + 5, blocks = static_cast<int64_t>(plan.runs.size());
        GroupedOperand w = random_grouped(random, K, rows, plan);
        const std::vector<float> x = random_floats(random, tokens * plan.k);
        Codes codes = make_codes(tokens, blocks, int15);
        for (int64_t t = 0; t < tokens; ++t) {
          scalar.quantize(x.data() + t * plan.k, plan.view(), codes.view, t, {0, blocks});
        }
        std::vector<float> y(tokens * rows), expected(tokens * rows);
        on_tiles<K>(w, codes.view, {0, 3}, {.y = y.data(), .stride = rows}, scratch);
        scalar.matmul_grouped(w.view, codes.view, {0, 3}, {.y = expected.data(), .stride = rows},
                              scratch);
        ASSERT_EQ(std::memcmp(y.data(), expected.data(), y.size() * 4), 0)
            << tokens << " tokens, K " << plan.k << ", int15 " << int15;
        std::vector<int64_t> sums(tokens * rows), expected_sums(tokens * rows);
        int64_t bad = 0;
        on_tiles<K>(w, codes.view, {0, 3},
                    {.sums = sums.data(), .stride = rows, .bad_leaves = &bad, .exact = 1}, scratch);
        scalar.matmul_grouped(
            w.view, codes.view, {0, 3},
            {.sums = expected_sums.data(), .stride = rows, .bad_leaves = &bad, .exact = 1},
            scratch);
        ASSERT_EQ(sums, expected_sums) << tokens << " tokens, K " << plan.k << ", int15 " << int15;
        ASSERT_EQ(bad, 0);
      }
    }
  }
  EXPECT_EQ(emulated_tiles::tiles_in_use, 0) << "tiles are released";
}

// One kind per expanded format; groups of 16 take no tiles.
TEST(MatrixTiles, GiveTheBitsForQ4_0) { expect_the_scalar_tables_bits<GroupedKind::q4_0>(1); }
TEST(MatrixTiles, GiveTheBitsForQ5_1) { expect_the_scalar_tables_bits<GroupedKind::q5_1>(2); }
TEST(MatrixTiles, GiveTheBitsForQ8_0) { expect_the_scalar_tables_bits<GroupedKind::q8_0>(3); }
TEST(MatrixTiles, GiveTheBitsForQ4_K) { expect_the_scalar_tables_bits<GroupedKind::q4_k>(4); }
TEST(MatrixTiles, GiveTheBitsForIq4Xs) { expect_the_scalar_tables_bits<GroupedKind::iq4_xs>(6); }
TEST(MatrixTiles, GiveTheBitsForAffine8) { expect_the_scalar_tables_bits<GroupedKind::affine8>(7); }
TEST(MatrixTiles, GiveTheBitsForQ2_K) { expect_the_scalar_tables_bits<GroupedKind::q2_k>(8); }
TEST(MatrixTiles, GiveTheBitsForQ6_K) { expect_the_scalar_tables_bits<GroupedKind::q6_k>(5); }

}  // namespace
}  // namespace colonnade::kernels::test
