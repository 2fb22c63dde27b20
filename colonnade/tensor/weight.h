// Weight: a matrix as the kernels want it. What the bytes look like is the device's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "colonnade/base/range.h"
#include "colonnade/tensor/k_plan.h"
#include "colonnade/tensor/weight_format.h"

namespace colonnade {

struct GroupedRows;

/// Precision of the activations in a product. Source: docs/numerics.md section 3.
enum class Tier : uint8_t { int8, int15, f32 };

constexpr const char* name_of(Tier tier) {
  return tier == Tier::int8 ? "int8" : tier == Tier::int15 ? "int15" : "f32";
}

/// What a weight is, before its data.
struct WeightSpec {
  std::string name;  // in errors and traces: "blk.3.ffn_down"
  WeightFormat format = WeightFormat::f32;
  int64_t rows = 0;       // this rank's
  KPlan plan;             // K of this rank
  Tier tier = Tier::f32;  // without integers: f32 only
};

/// Where a weight's data comes from: row ranges of this rank's slice, in file order within a
/// thread. Called from several threads at once. The one that fits the format is set.
///   grouped  rows.size() rows of K in canonical form, codes raw if `out` takes them so
///   dense    rows.size() * K elements of the format, row-major
struct RowSource {
  std::function<void(Range rows, GroupedRows& out)> grouped;
  std::function<void(Range rows, std::byte* out)> dense;
};

/// Immutable. Made by Device::pack, which derives its own class from it.
class Weight {
 public:
  virtual ~Weight() = default;
  Weight(const Weight&) = delete;
  Weight& operator=(const Weight&) = delete;

  const std::string& name() const { return spec_.name; }
  WeightFormat format() const { return spec_.format; }
  bool grouped() const { return is_grouped(spec_.format); }
  int64_t rows() const { return spec_.rows; }
  int64_t k() const { return spec_.plan.k(); }
  const KPlan& plan() const { return spec_.plan; }
  Tier tier() const { return spec_.tier; }
  /// Activations must come as codes.
  bool wants_codes() const { return spec_.tier != Tier::f32; }
  /// Memory that a product reads.
  int64_t bytes() const { return bytes_; }

 protected:
  Weight(WeightSpec spec, int64_t bytes) : spec_(std::move(spec)), bytes_(bytes) {}

 private:
  WeightSpec spec_;
  int64_t bytes_;
};

using WeightPtr = std::shared_ptr<const Weight>;

}  // namespace colonnade
