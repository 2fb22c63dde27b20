#include "colonnade/device/cpu_device.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "colonnade/base/error.h"
#include "colonnade/device/cpu_weight.h"
#include "colonnade/device/pack_panels.h"

namespace colonnade {
namespace {

constexpr int64_t kPackBytes = 256 << 10;  // codes that a worker takes from a source at a time: L2
constexpr int64_t kPageListBytes = kMostPages * static_cast<int64_t>(sizeof(kernels::PageView));

void check(const WeightSpec& spec, const RowSource& source) {
  CN_CHECK(spec.rows >= 0, "weight ", spec.name, ": rows: got ", spec.rows);
  CN_CHECK(has_integers(spec.format) || spec.tier == Tier::f32, "weight ", spec.name,
           ": precision: a weight of format ", name_of(spec.format), " needs f32, got ",
           name_of(spec.tier));
  CN_CHECK(spec.plan.runs().empty() != (is_grouped(spec.format) && spec.plan.k() > 0), "weight ",
           spec.name, ": its K plan was made for another format than ", name_of(spec.format));
  const bool fits = is_grouped(spec.format) ? source.grouped != nullptr : source.dense != nullptr;
  CN_CHECK(fits, "weight ", spec.name, ": its source does not yield rows of ",
           name_of(spec.format));
  CN_CHECK(spec.plan.k() * static_cast<int64_t>(sizeof(float)) <= kernels::kScratchBytes, "weight ",
           spec.name, ": K: expected at most ", kernels::kScratchBytes / 4, ", got ",
           spec.plan.k());
}

}  // namespace

/// One weight being packed by all workers.
struct CpuDevice::PackJob {
  CpuWeight* weight = nullptr;
  const RowSource* source = nullptr;
  std::vector<std::exception_ptr> errors;  // [workers]
};

/// What stands in a slot of the pool's ring: a command, or a job if `job` is set.
struct CpuDevice::Entry {
  PackJob* job = nullptr;
  CommandId id{};
  alignas(8) std::byte command[kCommandBytes];
};

CpuDevice::CpuDevice(const kernels::KernelTable& table, const ThreadPoolOptions& options)
    : table_(table),
      faults_(options.threads),
      worker_state_(static_cast<size_t>(options.threads)),
      pool_(options, &CpuDevice::run, this) {
  static_assert(sizeof(Entry) <= ThreadPool::kCommandBytes);
  for (int w = 0; w < options.threads; ++w) {
    // Touched first by the worker that uses it.
    worker_memory_.push_back(allocate_host_memory(kernels::kScratchBytes + kPageListBytes));
    std::byte* memory = worker_memory_.back().data();
    Worker& worker = worker_state_[static_cast<size_t>(w)];
    worker.table = &table_;
    worker.place = {w, options.threads};
    worker.scratch = {reinterpret_cast<uint8_t*>(memory), kernels::kScratchBytes};
    worker.pages = reinterpret_cast<kernels::PageView*>(memory + kernels::kScratchBytes);
    worker.faults = &faults_;
  }
}

CpuDevice::~CpuDevice() = default;

std::string CpuDevice::description() const {
  return concat("cpu ", table_.name, ", ", workers(), workers() == 1 ? " thread" : " threads");
}

void CpuDevice::enqueue(CommandId id, const void* command, int64_t bytes, Sync sync) {
  CN_ASSERT(bytes <= kCommandBytes, "command of ", bytes, " bytes");
  Entry entry;
  entry.id = id;
  std::memcpy(entry.command, command, static_cast<size_t>(bytes));
  const int64_t used = static_cast<int64_t>(offsetof(Entry, command)) + bytes;
  pool_.submit(&entry, used, sync == Sync::meet);
}

void CpuDevice::finish() {
  pool_.join();
  faults_.raise();
}

void CpuDevice::run(void* self, const std::byte* bytes, int64_t sequence, int worker) {
  const auto& entry = *reinterpret_cast<const Entry*>(bytes);
  CpuDevice& device = *static_cast<CpuDevice*>(self);
  if (entry.job != nullptr) return device.pack_part(*entry.job, worker);
  run_command(entry.id, entry.command, sequence, device.worker_state_[static_cast<size_t>(worker)]);
}

WeightPtr CpuDevice::pack(const WeightSpec& spec, const RowSource& source) {
  check(spec, source);
  auto weight = std::make_shared<CpuWeight>(spec, weights_);
  PackJob job{weight.get(), &source, std::vector<std::exception_ptr>(worker_state_.size())};
  Entry entry;
  entry.job = &job;
  pool_.submit(&entry, static_cast<int64_t>(offsetof(Entry, command)), true);
  pool_.join();
  for (const std::exception_ptr& error : job.errors) {
    if (error) std::rethrow_exception(error);
  }
  return weight;
}

namespace {

/// Rows of a block that is read from the source at once: whole units, about kPackBytes.
int64_t rows_per_block(const CpuWeight& weight) {
  const int64_t unit_rows = panels_per_unit(weight.format()) * kernels::kLanes;
  const int64_t row_bytes = weight.grouped()                       ? weight.k()
                            : weight.format() == WeightFormat::f32 ? weight.k() * 4
                                                                   : weight.k() * 2;
  return unit_rows * std::max<int64_t>(1, kPackBytes / std::max<int64_t>(1, row_bytes * unit_rows));
}

/// Codes can be packed as files have them if no block of the plan is cut.
bool takes_raw(const KPlan& plan) {
  return std::ranges::all_of(plan.runs(), [](const KRun& run) {
    return run.length == kernels::kBlock && run.k_begin % kernels::kBlock == 0;
  });
}

void pack_grouped_block(const CpuWeight& weight, Range rows, const RowSource& source,
                        GroupedRows& block) {
  source.grouped(rows, block);
  CN_CHECK(block.format == weight.format() && block.rows == rows.size() &&
               block.cols == weight.k() && block.begin == weight.plan().cut().slice.begin,
           "weight ", weight.name(), ": source: expected ", rows.size(), " x ", weight.k(), " of ",
           name_of(weight.format()), " from column ", weight.plan().cut().slice.begin, ", got ",
           block.rows, " x ", block.cols, " of ", name_of(block.format), " from column ",
           block.begin);
  for (int64_t r = 0; r < rows.size(); r += kernels::kLanes) {
    auto* panel = reinterpret_cast<uint8_t*>(weight.unit((rows.begin + r) / kernels::kLanes));
    pack_grouped_panel(block, r, weight.plan(), panel);
  }
}

void pack_dense_block(const CpuWeight& weight, Range rows, const RowSource& source,
                      std::vector<std::byte>& block) {
  const bool pairs = weight.format() != WeightFormat::f32;
  const int64_t row_bytes = weight.k() * (pairs ? 2 : 4);
  block.resize(static_cast<size_t>(rows.size() * row_bytes));
  source.dense(rows, block.data());
  const int64_t unit_rows = panels_per_unit(weight.format()) * kernels::kLanes;
  for (int64_t r = 0; r < rows.size(); r += unit_rows) {
    const std::byte* from = block.data() + r * row_bytes;
    std::byte* unit = weight.unit((rows.begin + r) / unit_rows);
    const int64_t count = std::min(unit_rows, rows.size() - r);
    if (pairs) {
      pack_pair_panels(reinterpret_cast<const uint16_t*>(from), count, weight.plan(),
                       reinterpret_cast<uint32_t*>(unit));
    } else {
      pack_f32_panel(reinterpret_cast<const float*>(from), count, weight.k(),
                     reinterpret_cast<float*>(unit));
    }
  }
}

}  // namespace

/// The panels that the worker will read in a product by itself: its pages come to lie near it.
void CpuDevice::pack_part(PackJob& job, int worker) {
  const CpuWeight& weight = *job.weight;
  const int64_t unit_rows = panels_per_unit(weight.format()) * kernels::kLanes;
  const CostedUnits all = costed_units(weight);
  const Range units = costed_part({&all, 1}, 0, {worker, workers()});
  const int64_t end = std::min(units.end * unit_rows, weight.rows());
  const int64_t step = rows_per_block(weight);
  try {
    GroupedRows grouped;
    grouped.takes_raw = takes_raw(weight.plan());
    std::vector<std::byte> dense;
    for (int64_t r = units.begin * unit_rows; r < end; r += step) {
      const Range rows{r, std::min(r + step, end)};
      if (weight.grouped()) {
        pack_grouped_block(weight, rows, *job.source, grouped);
      } else {
        pack_dense_block(weight, rows, *job.source, dense);
      }
    }
  } catch (...) {
    job.errors[static_cast<size_t>(worker)] = std::current_exception();
  }
}

}  // namespace colonnade
