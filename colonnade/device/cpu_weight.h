// CpuWeight: a weight in P16 panels, with the views that the kernels read it through.
#pragma once

#include <utility>
#include <vector>

#include "colonnade/device/weight_arena.h"
#include "colonnade/kernels/views.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

/// Panels are handed to workers in units of this many: what stands in one stream.
int64_t panels_per_unit(WeightFormat format);

/// Bytes that a weight takes in panels: Weight::bytes() before there is one.
int64_t packed_bytes(const WeightSpec& spec);

class CpuWeight final : public Weight {
 public:
  /// Panels are zero until packed. Throws Error when there is no memory left.
  CpuWeight(WeightSpec spec, WeightArena& arena);

  const kernels::GroupedView& grouped_view() const { return grouped_view_; }
  const kernels::DenseView& dense_view() const { return dense_view_; }
  const kernels::KPlanView& plan_view() const { return grouped_view_.plan; }

  int64_t panels() const { return (rows() + kernels::kLanes - 1) / kernels::kLanes; }
  int64_t panel_bytes() const { return panel_bytes_; }
  /// First byte of a unit of panels_per_unit panels.
  std::byte* unit(int64_t index) const {
    return memory_.data + index * panels_per_unit(format()) * panel_bytes_;
  }

 private:
  void view_plan();

  int64_t panel_bytes_;
  std::vector<kernels::Segment> segments_;
  std::vector<kernels::Run> runs_;
  ArenaBlock memory_;
  kernels::GroupedView grouped_view_;
  kernels::DenseView dense_view_;
};

inline const CpuWeight& cpu(const Weight& weight) { return static_cast<const CpuWeight&>(weight); }

}  // namespace colonnade
