// Ctx: what every op is handed. Services are passed, never fetched.
#pragma once

#include <functional>
#include <string_view>

#include "colonnade/tensor/tensor.h"

namespace colonnade {

class Device;
class Group;
class Workspace;

/// This rank's groups.
struct Mesh {
  Group* tensor_parallel = nullptr;
};

/// Called with each named activation, on the caller's thread, values readable.
using Probe = std::function<void(std::string_view name, const Tensor& value)>;

struct Ctx {
  Device& device;
  Workspace& workspace;
  Mesh mesh;
  Probe probe;  // none: off

  /// Shows `value` to the probe if there is one; joins the device then.
  void show(std::string_view name, const Tensor& value) const;
};

}  // namespace colonnade
