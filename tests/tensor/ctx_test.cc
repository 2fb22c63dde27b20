#include "colonnade/tensor/ctx.h"

#include <string>
#include <vector>

#include "tests/tensor/fake_device.h"
#include <gtest/gtest.h>

#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

TEST(Ctx, ShowsNothingAndWaitsForNothingWithoutAProbe) {
  test::FakeDevice device;
  Workspace workspace(device);
  Ctx cx{device, workspace, {}, nullptr};
  cx.show("x", workspace.tensor({1}));
  EXPECT_EQ(device.finished, 0);
}

TEST(Ctx, JoinsTheDeviceBeforeTheProbeLooks) {
  test::FakeDevice device;
  Workspace workspace(device);
  std::vector<std::string> names;
  Ctx cx{device, workspace, {}, [&](std::string_view name, const Tensor& value) {
           EXPECT_EQ(device.finished, 1);
           EXPECT_EQ(value.cols(), 4);
           names.emplace_back(name);
         }};
  cx.show("blk.0.attn", workspace.tensor({2, 4}));
  EXPECT_EQ(names, std::vector<std::string>{"blk.0.attn"});
}

}  // namespace
}  // namespace colonnade
