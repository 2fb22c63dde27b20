#include "colonnade/ops/route.h"

#include <cmath>
#include <limits>

#include "tests/ops/ops_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

std::vector<int32_t> rows_of(const ExpertTokens& tokens) {
  return {tokens.rows.i32(), tokens.rows.i32() + tokens.rows.elements()};
}

TEST(Route, GivesEveryExpertItsTokensInOrder) {
  test::OpsFixture f(1);
  const Tensor logits = f.tensor({0, 3, 1, 2,  //
                                  5, 0, 4, 1,  //
                                  0, 2, 9, 1},
                                 {3, 4});
  const std::vector<ExpertTokens> routed =
      route(f.cx, logits, 2, RouterKind::choose_then_softmax, "l");
  ASSERT_EQ(routed.size(), 4U);
  EXPECT_EQ(rows_of(routed[0]), (std::vector<int32_t>{1}));
  EXPECT_EQ(rows_of(routed[1]), (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(rows_of(routed[2]), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(rows_of(routed[3]), (std::vector<int32_t>{0}));
  EXPECT_FLOAT_EQ(routed[1].factors.f32()[0], static_cast<float>(1 / (1 + std::exp(-1.0))));
  EXPECT_FLOAT_EQ(routed[1].factors.f32()[1], static_cast<float>(1 / (1 + std::exp(7.0))));
}

TEST(Route, OfEqualLogitsTakesTheLowerNumber) {
  test::OpsFixture f(1);
  const Tensor logits = f.tensor({1, 2, 2, 2, 1}, {1, 5});
  const std::vector<ExpertTokens> routed =
      route(f.cx, logits, 2, RouterKind::choose_then_softmax, "l");
  ASSERT_EQ(routed.size(), 2U);
  EXPECT_EQ(routed[0].expert, 1);
  EXPECT_EQ(routed[1].expert, 2);
  EXPECT_EQ(routed[0].factors.f32()[0], 0.5F);
}

TEST(Route, ProbabilitiesOverAllAreThoseOfTheChosenAsTheyAre) {
  test::OpsFixture f(1);
  const Tensor logits = f.tensor({0, 0, 0, std::log(3.0F)}, {1, 4});
  const std::vector<ExpertTokens> routed =
      route(f.cx, logits, 1, RouterKind::softmax_then_choose, "l");
  ASSERT_EQ(routed.size(), 1U);
  EXPECT_EQ(routed[0].expert, 3);
  EXPECT_FLOAT_EQ(routed[0].factors.f32()[0], 0.5F);
}

TEST(Route, ALogitThatIsNotFiniteNamesLayerAndToken) {
  test::OpsFixture f(1);
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    const Tensor logits = f.tensor({0, 1, 0, bad}, {2, 2});
    try {
      route(f.cx, logits, 1, RouterKind::softmax_then_choose, "blk.3.ffn_gate_inp");
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("blk.3.ffn_gate_inp: token 1"));
    }
  }
}

TEST(Route, MoreExpertsThanThereAreIsAnError) {
  test::OpsFixture f(1);
  const Tensor logits = f.tensor({0, 1}, {1, 2});
  EXPECT_THROW(route(f.cx, logits, 3, RouterKind::softmax_then_choose, "l"), Error);
}

}  // namespace
}  // namespace colonnade
