#include "colonnade/device/cpu_commands.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

#include "colonnade/base/error.h"
#include "colonnade/base/partition.h"
#include "colonnade/device/cpu_weight.h"

namespace colonnade {
namespace {

using kernels::kBlock;
using kernels::kLanes;

constexpr int64_t kLinePair = 128;  // the prefetcher fetches lines in pairs

int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

/// Hands out parts of a block of memory, each on its own lines; without a block it only counts.
class Carver {
 public:
  explicit Carver(std::byte* base) : base_(base) {}

  template <typename T>
  T* take(int64_t count) {
    T* part = base_ != nullptr ? reinterpret_cast<T*>(base_ + bytes_) : nullptr;
    bytes_ += round_up(count * static_cast<int64_t>(sizeof(T)), kLinePair);
    return part;
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* base_;
  int64_t bytes_ = 0;
};

kernels::CodesView carve_codes(Carver& carver, const CpuWeight& plan, int64_t tokens) {
  kernels::CodesView codes;
  codes.tokens = tokens;
  codes.blocks = plan.plan_view().blocks;
  const int64_t cells = codes.blocks * tokens;
  codes.hi = carver.take<int8_t>(cells * kBlock);
  if (plan.tier() == Tier::int15) codes.lo = carver.take<int8_t>(cells * kBlock);
  codes.scale = carver.take<float>(cells);
  codes.scaled_sum = carver.take<float>(cells);
  codes.half_sums = carver.take<int32_t>(cells * 2);
  return codes;
}

/// The replica that this worker writes and reads.
int64_t own_replica(const ActivationsRef& activations, const Worker& worker) {
  return activations.replicas > 1 ? worker.place.index : 0;
}

/// Rows that this worker writes: all of its replica, or its part of the only one.
Range own_rows(const ActivationsRef& activations, const Worker& worker) {
  if (activations.replicas > 1) return {0, activations.tokens};
  return even_part(activations.tokens, worker.place.count, worker.place.index);
}

float* values_of(const ActivationsRef& activations, int64_t replica) {
  return activations.values + replica * activations.tokens * activations.k;
}

/// Codes of one row x [K] into `codes`.
void quantize_row(const float* x, const ActivationsRef& out, const kernels::CodesView& codes,
                  int64_t token, kernels::Span blocks, int64_t sequence, Worker& worker) {
  const CpuWeight& plan = cpu(*out.plan);
  if (worker.table->quantize(x, plan.plan_view(), codes, token, blocks) != 0) {
    worker.faults->report_activation(worker.place.index, sequence, plan.name(), token);
  }
}

void run(const EmbedCommand& c, int64_t, Worker& worker) {
  const CpuWeight& table = cpu(*c.table);
  const Range tokens = even_part(c.tokens, worker.place.count, worker.place.index);
  for (int64_t t = tokens.begin; t < tokens.end; ++t) {
    float* y = c.y + t * table.k();
    const int64_t row = c.ids[t] - c.first_id;
    if (row < 0 || row >= table.rows()) {
      std::fill_n(y, table.k(), 0.0F);  // another rank's
    } else if (table.grouped()) {
      worker.table->grouped_row(table.grouped_view(), row, y);
    } else {
      worker.table->dense_row(table.dense_view(), row, y);
    }
  }
}

void run(const SelectRowsCommand& c, int64_t, Worker& worker) {
  const Range rows = even_part(c.count, worker.place.count, worker.place.index);
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    std::memcpy(c.y + i * c.cols, c.x + c.rows[i] * c.cols,
                static_cast<size_t>(c.cols) * sizeof(float));
  }
}

void run(const NormCommand& c, int64_t sequence, Worker& worker) {
  const ActivationsRef& out = c.out;
  const int64_t replica = own_replica(out, worker);
  const Range rows = own_rows(out, worker);
  kernels::CodesView codes;
  if (out.codes != nullptr) codes = codes_view(out, replica);
  for (int64_t t = rows.begin; t < rows.end; ++t) {
    float* y = out.values != nullptr ? values_of(out, replica) + t * out.k
                                     : reinterpret_cast<float*>(worker.scratch.data);
    if (c.kind == NormKind::rms) {
      worker.table->rms_norm(y, c.x + t * out.k, c.weight, out.k, c.eps);
    } else {
      worker.table->layer_norm(y, c.x + t * out.k, c.weight, c.bias, out.k, c.eps);
    }
    if (c.residual != nullptr) worker.table->scale_add(y, c.residual + t * out.k, 1, out.k);
    if (out.codes != nullptr) {
      quantize_row(y, out, codes, t, {0, codes.blocks}, sequence, worker);
    }
  }
}

void run(const QuantizeCommand& c, int64_t sequence, Worker& worker) {
  const kernels::CodesView codes = codes_view(c.out, own_replica(c.out, worker));
  const Range rows = own_rows(c.out, worker);
  for (int64_t t = rows.begin; t < rows.end; ++t) {
    quantize_row(c.x + t * c.out.k, c.out, codes, t, {0, codes.blocks}, sequence, worker);
  }
}

/// This worker's panels of some of a weight's rows.
kernels::Span own_panels_of(const CpuWeight& weight, Range rows, WorkerPlace place) {
  const int64_t per_unit = panels_per_unit(weight.format());
  const int64_t unit_rows = per_unit * kLanes;
  const int64_t first = rows.begin / unit_rows;
  const Range units =
      even_part((rows.end + unit_rows - 1) / unit_rows - first, place.count, place.index);
  return {(first + units.begin) * per_unit,
          std::min((first + units.end) * per_unit, weight.panels())};
}

/// Panels of part `which` that are this worker's.
kernels::Span own_panels(const MatmulCommand& c, int which, WorkerPlace place) {
  const CpuWeight& weight = cpu(*c.parts[which].weight);
  if (!c.parts[which].rows.empty()) return own_panels_of(weight, c.parts[which].rows, place);
  if (c.paired_rows > 0) {
    const Range rows = unit_part(weight.rows(), c.paired_rows, place);
    // Both round up: behind the last row, in the middle of a panel, begin and end are the same.
    return {(rows.begin + kLanes - 1) / kLanes, (rows.end + kLanes - 1) / kLanes};
  }
  std::array<CostedUnits, MatmulCommand::kMaxParts> parts;
  for (int p = 0; p < c.count; ++p)
    parts[static_cast<size_t>(p)] = costed_units(*c.parts[p].weight);
  const Range units =
      costed_part(std::span(parts).first(static_cast<size_t>(c.count)), which, place);
  const int64_t per_unit = panels_per_unit(weight.format());
  return {units.begin * per_unit, std::min(units.end * per_unit, weight.panels())};
}

void run_product(const MatmulPart& part, const ActivationsRef& x, kernels::Span panels,
                 const kernels::ProductOut& out, Worker& worker) {
  const CpuWeight& weight = cpu(*part.weight);
  const int64_t replica = own_replica(x, worker);
  if (weight.wants_codes()) {
    worker.table->matmul_grouped(weight.grouped_view(), codes_view(x, replica), panels, out,
                                 worker.scratch);
  } else if (weight.grouped()) {
    worker.table->matmul_grouped_f32(weight.grouped_view(), values_of(x, replica), x.k, x.tokens,
                                     panels, out, worker.scratch);
  } else {
    worker.table->matmul_dense(weight.dense_view(), values_of(x, replica), x.k, x.tokens, panels,
                               out, worker.scratch);
  }
}

void clear_sums(const kernels::ProductOut& out, Range rows, int64_t tokens) {
  for (int64_t t = 0; t < tokens; ++t)
    std::fill_n(out.sums + t * out.stride + rows.begin, rows.size(), 0);
}

void run(const MatmulCommand& c, int64_t sequence, Worker& worker) {
  for (int p = 0; p < c.count; ++p) {
    const MatmulPart& part = c.parts[p];
    const kernels::Span panels = own_panels(c, p, worker.place);
    if (panels.begin >= panels.end || c.x.tokens == 0) continue;
    int64_t bad_leaves = 0;
    kernels::ProductOut out;
    // Kernels count columns from the weight's row 0.
    const int64_t first = part.rows.begin;
    out.y = part.y != nullptr ? part.y - first : nullptr;
    out.sums = part.sums != nullptr ? part.sums - first : nullptr;
    out.bias = part.bias != nullptr ? part.bias - first : nullptr;
    out.residual = part.residual != nullptr ? part.residual - first : nullptr;
    out.stride = part.stride;
    out.exact = c.exact;
    out.bad_leaves = c.exact != 0 ? &bad_leaves : nullptr;
    if (part.weight->k() == 0 && out.sums != nullptr) {  // this rank's part of K is empty
      clear_sums(out, {panels.begin * kLanes, std::min(panels.end * kLanes, part.weight->rows())},
                 c.x.tokens);
      continue;
    }
    run_product(part, c.x, panels, out, worker);
    if (bad_leaves == 0) continue;
    if (c.bad_leaves != nullptr) {
      // relaxed: the command behind the next meeting reads it.
      std::atomic_ref(*c.bad_leaves).fetch_add(bad_leaves, std::memory_order_relaxed);
    } else {
      worker.faults->report_leaves(worker.place.index, sequence, part.weight->name());
    }
  }
}

void run(const GluCommand& c, int64_t sequence, Worker& worker) {
  const ActivationsRef& out = c.out;
  const Range cols = unit_part(out.k, c.paired_rows, worker.place);
  if (cols.empty()) return;
  const auto kind = static_cast<kernels::ActivationKind>(c.kind);
  kernels::CodesView codes;
  if (out.codes != nullptr) codes = codes_view(out, 0);
  // paired_rows is a multiple of 32 and the plan uniform: blocks are those of the columns.
  const kernels::Span blocks{cols.begin / kBlock, (cols.end + kBlock - 1) / kBlock};
  for (int64_t t = 0; t < out.tokens; ++t) {
    float* gate = c.gate + t * out.k;
    worker.table->activate(kind, gate + cols.begin, gate + cols.begin,
                           c.up != nullptr ? c.up + t * out.k + cols.begin : nullptr, cols.size());
    if (c.scales != nullptr)
      worker.table->scale_add(gate + cols.begin, nullptr, c.scales[t], cols.size());
    if (out.codes != nullptr) quantize_row(gate, out, codes, t, blocks, sequence, worker);
  }
}

void run(const AttentionCommand& c, int64_t sequence, Worker& worker) {
  run_attention(c, sequence, worker);
}

const int64_t* sums_of(const FinishSumsCommand& c, int64_t rank) {
  return c.sums != nullptr ? c.sums : reinterpret_cast<const int64_t*>(c.parts[rank].data());
}

/// Columns `cols` of token t.
void finish_row(const FinishSumsCommand& c, int64_t t, Range cols, Worker& worker) {
  auto* sums = reinterpret_cast<const int64_t**>(worker.scratch.data);  // [ranks]
  for (int64_t r = 0; r < c.ranks; ++r) sums[r] = sums_of(c, r) + t * c.cols + cols.begin;
  const int64_t row = t - c.rows.begin;
  worker.table->finish_sums(
      c.y + row * c.y_stride + cols.begin, sums, c.ranks,
      c.bias != nullptr ? c.bias + cols.begin : nullptr,
      c.residual != nullptr ? c.residual + row * c.stride + cols.begin : nullptr, cols.size());
}

void run(const FinishSumsCommand& c, int64_t sequence, Worker& worker) {
  const WorkerPlace place = worker.place;
  if (c.rows.size() == 1) {
    finish_row(c, c.rows.begin, unit_part(c.cols, kLanes, place), worker);
  } else {
    const Range rows = even_part(c.rows.size(), place.count, place.index);
    for (int64_t i = rows.begin; i < rows.end; ++i)
      finish_row(c, c.rows.begin + i, {0, c.cols}, worker);
  }
  if (place.index != 0) return;
  int64_t bad_leaves = 0;
  for (int64_t r = 0; r < c.ranks; ++r) bad_leaves += sums_of(c, r)[c.tokens * c.cols];
  if (bad_leaves != 0) worker.faults->report_leaves(0, sequence, c.weight->name());
}

void run(const GatherRowsCommand& c, int64_t, Worker& worker) {
  const Range mine = even_part(c.tokens, worker.place.count, worker.place.index);
  for (int64_t r = 0; r < c.ranks; ++r) {
    const Range told = even_part(c.tokens, c.ranks, r);
    const auto* from = reinterpret_cast<const float*>(c.parts[r].data() + c.offset);
    for (int64_t t = std::max(mine.begin, told.begin); t < std::min(mine.end, told.end); ++t) {
      std::memcpy(c.y + t * c.stride, from + (t - told.begin) * c.cols,
                  static_cast<size_t>(c.cols) * sizeof(float));
    }
  }
}

void run(const ScaleAddCommand& c, int64_t, Worker& worker) {
  const Range tokens = even_part(c.tokens, worker.place.count, worker.place.index);
  for (int64_t t = tokens.begin; t < tokens.end; ++t) {
    if (c.from != c.y) std::copy_n(c.from + t * c.cols, c.cols, c.y + t * c.cols);
    worker.table->scale_add(c.y + t * c.cols, c.x != nullptr ? c.x + t * c.cols : nullptr, c.factor,
                            c.cols);
  }
}

void run(const ScatterSumsCommand& c, int64_t, Worker& worker) {
  const Range cols = unit_part(c.cols, kLanes, worker.place);
  for (int64_t i = 0; i < c.count; ++i) {
    auto* y = reinterpret_cast<uint64_t*>(c.y + c.rows[i] * c.cols);  // unsigned ones wrap around
    const auto* x = reinterpret_cast<const uint64_t*>(c.x + i * c.cols);
    for (int64_t j = cols.begin; j < cols.end; ++j) y[j] += x[j];
  }
}

void run(const ScatterBiasCommand& c, int64_t, Worker& worker) {
  const Range cols = unit_part(c.cols, kLanes, worker.place);
  for (int64_t i = 0; i < c.count; ++i) {
    float* y = c.y + c.rows[i] * c.cols;
    for (int64_t j = cols.begin; j < cols.end; ++j) y[j] = std::fma(c.factors[i], c.bias[j], y[j]);
  }
}

void run(const SoftCapCommand& c, int64_t, Worker& worker) {
  const Range cols = unit_part(c.cols, kLanes, worker.place);
  for (int64_t t = 0; t < c.tokens; ++t)
    worker.table->soft_cap(c.x + t * c.cols + cols.begin, cols.size(), c.cap);
}

template <typename Command>
void run_as(const std::byte* bytes, int64_t sequence, Worker& worker) {
  Command command;
  std::memcpy(&command, bytes, sizeof(command));
  run(command, sequence, worker);
}

}  // namespace

CostedUnits costed_units(const Weight& weight) {
  const CpuWeight& w = cpu(weight);
  const int64_t per_unit = panels_per_unit(w.format());
  return {(w.panels() + per_unit - 1) / per_unit, per_unit * w.panel_bytes()};
}

int64_t codes_bytes_for(const Weight& plan, int64_t tokens) {
  Carver carver(nullptr);
  carve_codes(carver, cpu(plan), tokens);
  return carver.bytes();
}

kernels::CodesView codes_view(const ActivationsRef& activations, int64_t replica) {
  const int64_t bytes = codes_bytes_for(*activations.plan, activations.tokens);
  Carver carver(activations.codes + replica * bytes);
  return carve_codes(carver, cpu(*activations.plan), activations.tokens);
}

void run_command(CommandId id, const std::byte* command, int64_t sequence, Worker& worker) {
  switch (id) {
    case CommandId::embed:
      return run_as<EmbedCommand>(command, sequence, worker);
    case CommandId::select_rows:
      return run_as<SelectRowsCommand>(command, sequence, worker);
    case CommandId::norm:
      return run_as<NormCommand>(command, sequence, worker);
    case CommandId::quantize:
      return run_as<QuantizeCommand>(command, sequence, worker);
    case CommandId::matmul:
      return run_as<MatmulCommand>(command, sequence, worker);
    case CommandId::glu:
      return run_as<GluCommand>(command, sequence, worker);
    case CommandId::attention:
      return run_as<AttentionCommand>(command, sequence, worker);
    case CommandId::finish_sums:
      return run_as<FinishSumsCommand>(command, sequence, worker);
    case CommandId::gather_rows:
      return run_as<GatherRowsCommand>(command, sequence, worker);
    case CommandId::scale_add:
      return run_as<ScaleAddCommand>(command, sequence, worker);
    case CommandId::scatter_sums:
      return run_as<ScatterSumsCommand>(command, sequence, worker);
    case CommandId::scatter_bias:
      return run_as<ScatterBiasCommand>(command, sequence, worker);
    case CommandId::soft_cap:
      return run_as<SoftCapCommand>(command, sequence, worker);
  }
  CN_ASSERT(false, "command ", static_cast<int>(id));
}

}  // namespace colonnade
