// A device, a workspace and the group of one, for tests of ops.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "colonnade/comm/group.h"
#include "colonnade/device/devices.h"
#include "colonnade/tensor/ctx.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade::test {

class OpsFixture {
 public:
  explicit OpsFixture(int threads)
      : device(make_device({.threads = threads})),
        workspace(*device),
        cx{*device, workspace, {&group}, nullptr} {}

  Tensor tensor(const std::vector<float>& values, const Shape& shape) {
    Tensor made = workspace.tensor(shape);
    std::copy(values.begin(), values.end(), made.f32());
    return made;
  }
  Tensor indices(const std::vector<int32_t>& values) {
    Tensor made = workspace.tensor({static_cast<int64_t>(values.size())}, DType::i32);
    std::copy(values.begin(), values.end(), made.i32());
    return made;
  }
  /// Joins, then the values.
  std::vector<float> read(const Tensor& tensor) {
    device->join();
    return {tensor.f32(), tensor.f32() + tensor.elements()};
  }

  SoloGroup group;
  std::unique_ptr<Device> device;
  Workspace workspace;
  Ctx cx;
};

}  // namespace colonnade::test
