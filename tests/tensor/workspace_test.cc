#include "colonnade/tensor/workspace.h"

#include <memory>
#include <vector>

#include "tests/tensor/fake_device.h"
#include <gtest/gtest.h>

namespace colonnade {
namespace {

/// A decode step: sizes as a layer asks for them, three layers deep.
std::vector<const void*> step(test::FakeDevice& device, Workspace& workspace, int64_t tokens) {
  std::vector<const void*> addresses;
  Tensor x = workspace.tensor({tokens, 576});
  for (int layer = 0; layer < 3; ++layer) {
    device.meet();
    const Tensor qkv = workspace.tensor({tokens, 960});
    device.meet();
    const Tensor out = workspace.tensor({tokens, 576});
    device.meet();
    x = workspace.tensor({tokens, 576});
    device.meet();
    const Tensor gate = workspace.tensor({tokens, 1536});
    const Tensor up = workspace.tensor({tokens, 1536});
    for (const Tensor& t : {qkv, out, x, gate, up}) addresses.push_back(t.f32());
  }
  device.join();
  return addresses;
}

TEST(Workspace, EqualStepsGetEqualAddressesAndAllocateNothing) {
  test::FakeDevice device;
  Workspace workspace(device);
  step(device, workspace, 512);
  step(device, workspace, 1);
  const std::vector<const void*> second = step(device, workspace, 1);
  const int64_t before = workspace.allocations();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(step(device, workspace, 1), second);
  EXPECT_EQ(workspace.allocations(), before);
  EXPECT_EQ(workspace.allocations(), device.allocations);
}

TEST(Workspace, ChunksOfAnySizeDoNotPileUpMemory) {
  test::FakeDevice device;
  Workspace workspace(device);
  step(device, workspace, 512);
  const int64_t one = workspace.bytes();
  for (int64_t tokens = 512; tokens > 0; tokens -= 7) step(device, workspace, tokens);
  EXPECT_LE(workspace.bytes(), 3 * one);
}

TEST(Workspace, ABlockIsReusedOnlyBehindTheNextMeeting) {
  test::FakeDevice device;
  Workspace workspace(device);
  Tensor a = workspace.tensor({100});
  const float* first = a.f32();
  device.meet();
  a = Tensor();
  EXPECT_NE(workspace.tensor({100}).f32(), first);
  device.meet();
  EXPECT_EQ(workspace.tensor({100}).f32(), first);
}

TEST(Workspace, NeverHandsOutABlockThatIsHeld) {
  test::FakeDevice device;
  Workspace workspace(device);
  const Tensor a = workspace.tensor({100});
  device.join();
  EXPECT_NE(workspace.tensor({100}).f32(), a.f32());
}

TEST(Workspace, TensorsMayOutliveIt) {
  test::FakeDevice device;
  auto workspace = std::make_unique<Workspace>(device);
  const Tensor a = workspace->tensor({3});
  workspace->tensor({100});
  workspace.reset();
  a.f32()[2] = 1.0f;
  EXPECT_EQ(a.f32()[2], 1.0f);
}

}  // namespace
}  // namespace colonnade
