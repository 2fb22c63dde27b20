#include "colonnade/tensor/tensor.h"

#include <utility>

#include "tests/tensor/fake_device.h"
#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(Tensor, CopiesShareStorage) {
  test::FakeDevice device;
  const Tensor a = make_tensor(device, {2, 3});
  const Tensor b = a;
  b.f32()[5] = 7.0f;
  EXPECT_EQ(a.f32()[5], 7.0f);
  EXPECT_EQ(a.rows(), 2);
  EXPECT_EQ(a.cols(), 3);
}

TEST(Tensor, IsUniqueUntilSomebodyHoldsACopy) {
  test::FakeDevice device;
  Tensor a = make_tensor(device, {4});
  EXPECT_TRUE(a.unique());
  {
    const Tensor b = a;
    EXPECT_FALSE(a.unique());
  }
  EXPECT_TRUE(a.unique());
  const Tensor moved = std::move(a);
  EXPECT_TRUE(moved.unique());
}

TEST(Tensor, IsFalseWithoutStorage) {
  test::FakeDevice device;
  EXPECT_FALSE(Tensor());
  EXPECT_FALSE(Tensor().unique());
  EXPECT_TRUE(make_tensor(device, {1}));
}

TEST(Tensor, RefusesStorageThatIsTooSmall) {
  test::FakeDevice device;
  const auto storage = [&] {
    return StorageRef(std::make_unique<Storage>(device.allocate(64), nullptr).release());
  };
  EXPECT_NO_THROW(Tensor(storage(), DType::f32, {16}));
  EXPECT_THROW(Tensor(storage(), DType::f32, {17}), Error);
}

TEST(TensorDeathTest, ReadingAnotherElementTypeIsABug) {
  test::FakeDevice device;
  const Tensor a = make_tensor(device, {4}, DType::i32);
  EXPECT_DEATH(a.f32(), "tensor holds i32, asked for f32");
}

}  // namespace
}  // namespace colonnade
