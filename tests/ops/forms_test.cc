#include "colonnade/ops/forms.h"

#include "tests/ops/ops_fixture.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

WeightPtr weight(test::OpsFixture& f, WeightFormat format, Tier tier, int64_t k = 256) {
  return test::random_weight(*f.device, 1, format, 16, k, tier).packed;
}

TEST(Forms, AreWhatTheConsumersRead) {
  test::OpsFixture f(1);
  const WeightPtr codes = weight(f, WeightFormat::q4_k, Tier::int8);
  const WeightPtr other = weight(f, WeightFormat::q6_k, Tier::int8);
  const WeightPtr dense = weight(f, WeightFormat::bf16, Tier::f32);
  const Forms both = forms_for({dense.get(), codes.get(), other.get()}, 256);
  EXPECT_TRUE(both.values);
  EXPECT_EQ(both.plan, codes.get());
  EXPECT_FALSE(forms_for({codes.get()}, 256).values);
  EXPECT_EQ(forms_for({dense.get()}, 256).plan, nullptr);
}

TEST(Forms, ConsumersMustAgree) {
  test::OpsFixture f(1);
  const WeightPtr int8 = weight(f, WeightFormat::q4_k, Tier::int8);
  const WeightPtr int15 = weight(f, WeightFormat::q4_k, Tier::int15);
  const WeightPtr wide = weight(f, WeightFormat::q4_k, Tier::int8, 512);
  EXPECT_THROW(forms_for({int8.get(), int15.get()}, 256), Error);
  EXPECT_THROW(forms_for({int8.get(), wide.get()}, 256), Error);
  EXPECT_THROW(forms_for({int8.get()}, 255), Error);
}

TEST(Forms, FewTokensAreReplicated) {
  test::OpsFixture f(3);
  EXPECT_EQ(replicas_for(*f.device, 1, 4096), 3);
  EXPECT_EQ(replicas_for(*f.device, 512, 4096), 1);
}

TEST(Forms, AProductChecksThatItsFormIsThere) {
  test::OpsFixture f(1);
  const WeightPtr int8 = weight(f, WeightFormat::q4_k, Tier::int8);
  const WeightPtr int15 = weight(f, WeightFormat::q4_k, Tier::int15);
  const WeightPtr dense = weight(f, WeightFormat::f32, Tier::f32);
  const Activations codes = make_activations(f.cx, {false, int8.get()}, 2, 256, 1);
  EXPECT_NO_THROW(check_form("matmul", codes, *int8));
  EXPECT_THROW(check_form("matmul", codes, *int15), Error);
  EXPECT_THROW(check_form("matmul", codes, *dense), Error);
  const Activations values = make_activations(f.cx, {true, nullptr}, 2, 256, 1);
  EXPECT_NO_THROW(check_form("matmul", values, *dense));
  EXPECT_THROW(check_form("matmul", values, *int8), Error);
  EXPECT_TRUE(has_form(codes, *int8) && has_form(values, *dense));
  EXPECT_FALSE(has_form(codes, *int15) || has_form(values, *int8) || has_form({}, *dense));
}

}  // namespace
}  // namespace colonnade
