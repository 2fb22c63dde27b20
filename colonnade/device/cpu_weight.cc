#include "colonnade/device/cpu_weight.h"

#include "colonnade/base/error.h"
#include "colonnade/kernels/p16.h"
#include "colonnade/tensor/grouped_format.h"

namespace colonnade {
namespace {

constexpr int64_t kLine = 64;

int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

/// The kinds stand in the order of the formats; those of affine formats are told apart by bits.
kernels::GroupedKind grouped_kind(WeightFormat format) {
  using kernels::GroupedKind;
  const auto place = [](auto value) { return static_cast<int>(value); };
  static_assert(static_cast<int>(GroupedKind::mxfp8) - static_cast<int>(GroupedKind::q4_0) ==
                static_cast<int>(WeightFormat::mxfp8) - static_cast<int>(WeightFormat::q4_0));
  if (!is_affine(format)) {
    return static_cast<GroupedKind>(place(format) - place(WeightFormat::q4_0));
  }
  constexpr int kPerBits = kAffineGroups.size() * kAffineScales.size();
  return static_cast<GroupedKind>(place(GroupedKind::affine2) +
                                  (place(format) - place(WeightFormat::affine)) / kPerBits);
}

/// Of the scales that stand behind segments.
kernels::ScaleType segment_scales(WeightFormat format) {
  const ScaleType type = grouped_format(format).scales;
  return type == ScaleType::f32    ? kernels::ScaleType::f32
         : type == ScaleType::bf16 ? kernels::ScaleType::bf16
                                   : kernels::ScaleType::f16;
}

kernels::DenseKind dense_kind(WeightFormat format) {
  return format == WeightFormat::f32    ? kernels::DenseKind::f32
         : format == WeightFormat::bf16 ? kernels::DenseKind::bf16
                                        : kernels::DenseKind::f16;
}

/// Lines of a 16-bit panel: two elements along K each, every leaf on a new one.
int64_t pair_lines(const KPlan& plan) {
  int64_t lines = 0;
  int64_t begin = 0;
  for (const int64_t end : plan.leaf_ends()) {
    lines += (end - begin + 1) / 2;
    begin = end;
  }
  return lines;
}

int64_t bytes_of_panel(const WeightSpec& spec) {
  if (is_grouped(spec.format)) {
    return kernels::panel_bytes(kernels::p16_format(grouped_kind(spec.format)),
                                segment_scales(spec.format),
                                static_cast<int64_t>(spec.plan.runs().size()),
                                static_cast<int64_t>(spec.plan.segments().size()));
  }
  return kLine * (spec.format == WeightFormat::f32 ? spec.plan.k() : pair_lines(spec.plan));
}

}  // namespace

int64_t panels_per_unit(WeightFormat format) {
  return format == WeightFormat::bf16 || format == WeightFormat::f16 ? 4 : 1;
}

int64_t packed_bytes(const WeightSpec& spec) {
  const int64_t panels =
      round_up((spec.rows + kernels::kLanes - 1) / kernels::kLanes, panels_per_unit(spec.format));
  return panels * bytes_of_panel(spec);
}

CpuWeight::CpuWeight(WeightSpec spec, WeightArena& arena)
    : Weight(spec, packed_bytes(spec)),
      panel_bytes_(bytes_of_panel(spec)),
      memory_(arena.allocate(bytes())) {
  const auto* panels = reinterpret_cast<const uint8_t*>(memory_.data);
  if (grouped()) {
    view_plan();
    grouped_view_.panels = panels;
    grouped_view_.panel_bytes = panel_bytes_;
    grouped_view_.rows = rows();
    grouped_view_.kind = grouped_kind(format());
    grouped_view_.scales = segment_scales(format());
    return;
  }
  dense_view_.panels = panels;
  dense_view_.panel_bytes = panel_bytes_;
  dense_view_.rows = rows();
  dense_view_.leaf_ends = plan().leaf_ends().data();
  dense_view_.k = k();
  dense_view_.leaves = static_cast<int32_t>(plan().leaf_ends().size());
  dense_view_.kind = dense_kind(format());
}

void CpuWeight::view_plan() {
  for (const KSegment& segment : plan().segments()) {
    segments_.push_back({segment.blocks, segment.ends_leaf ? 1 : 0});
  }
  for (const KRun& run : plan().runs()) runs_.push_back({run.k_begin, run.length, run.group});
  kernels::KPlanView& view = grouped_view_.plan;
  view.segments = segments_.data();
  view.runs = runs_.data();
  view.k = k();
  view.segment_count = static_cast<int32_t>(segments_.size());
  view.blocks = static_cast<int32_t>(runs_.size());
  view.leaves = static_cast<int32_t>(plan().leaf_ends().size());
  view.uniform = plan().uniform() ? 1 : 0;
}

}  // namespace colonnade
