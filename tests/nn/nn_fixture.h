// What tests of layers stand on: tensors in memory, a loader for them, and N ranks one after the
// other.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/on_ranks.h"

#include "colonnade/comm/group.h"
#include "colonnade/device/devices.h"
#include "colonnade/nn/param.h"
#include "colonnade/tensor/ctx.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade::test {

/// f32 tensors by name.
class MemorySource final : public TensorSource {
 public:
  void add(const std::string& name, int64_t rows, int64_t cols, std::vector<float> values) {
    entries_.push_back({name, WeightFormat::f32, rows, cols, rows * cols * 4});
    values_[name] = std::move(values);
  }

  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override {
    for (const TensorEntry& entry : entries_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
  RowSource rows(const TensorEntry& entry, const MatrixSlice& slice) const override {
    const float* from = values_.at(entry.name).data() + slice.rows.begin * entry.cols;
    const int64_t stride = entry.cols;
    const Range cols = slice.cols;
    RowSource source;
    source.dense = [from, stride, cols](Range rows, std::byte* out) {
      const auto bytes = static_cast<size_t>(cols.size()) * sizeof(float);
      for (int64_t row = rows.begin; row < rows.end; ++row, out += bytes) {
        std::memcpy(out, from + row * stride + cols.begin, bytes);
      }
    };
    return source;
  }
  std::vector<float> values(const TensorEntry& entry) const override {
    return values_.at(entry.name);
  }

 private:
  std::vector<TensorEntry> entries_;
  std::map<std::string, std::vector<float>> values_;
};

/// Packs what the layers declared.
inline void load(const ParamSet& params, Device& device) {
  for (const MatrixParam& param : params.matrices()) {
    const int64_t leaf = param.leaf.kind == LeafRule::ordinary ? kLeaf : param.leaf.size;
    const KPlan plan(WeightFormat::f32, KCut{param.cols, param.col_range, leaf});
    const RowSource rows = params.source().rows(*params.source().find(param.name),
                                                {param.row_range, param.col_range, 0});
    *param.slot =
        device.pack({param.name, WeightFormat::f32, param.row_range.size(), plan, Tier::f32}, rows);
  }
  for (const VectorParam& param : params.vectors()) {
    const std::vector<float> all = params.source().values(*params.source().find(param.name));
    *param.slot = make_tensor(device, {param.range.size()});
    std::copy(all.begin() + param.range.begin, all.begin() + param.range.end, param.slot->f32());
  }
}

/// A rank: its device, workspace and parameters.
struct Rank {
  Rank(const TensorSource& source, Cut cut, Group& group)
      : params(source, std::move(cut)),
        device(make_device({.threads = 2, .crowded = true})),
        workspace(*device),
        cx{*device, workspace, {&group}, {}} {}

  Tensor tensor(const std::vector<float>& values, const Shape& shape) {
    Tensor made = workspace.tensor(shape);
    std::copy(values.begin(), values.end(), made.f32());
    return made;
  }
  std::vector<float> read(const Tensor& tensor) {
    device->join();
    return {tensor.f32(), tensor.f32() + tensor.elements()};
  }

  ParamSet params;
  std::unique_ptr<Device> device;
  Workspace workspace;
  Ctx cx;
};

}  // namespace colonnade::test
