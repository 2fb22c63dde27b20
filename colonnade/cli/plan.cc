// colonnade plan: what every rank would hold, read and send, from the model's header alone.
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "colonnade/api/model_files.h"
#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/new_file.h"
#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/plan_report.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/device/bandwidth.h"

namespace colonnade::cli {
namespace {

/// Above most caches, and passes enough for a moment in which nobody else runs.
constexpr BandwidthOptions kQuickBandwidth = {.bytes = int64_t{512} << 20, .passes = 6};

PlanRequest request_of(const PlanOptions& options, const DecoderConfig& config) {
  PlanRequest request;
  request.ranks = options.model.cut.ranks;
  request.shares = options.model.cut.shares;
  if (options.model.context)
    request.context = *options.model.context > 0 ? *options.model.context : config.context;
  request.chunk = options.model.chunk;
  request.precision = options.model.precision;
  request.cache = options.model.cache;
  return request;
}

/// Throws UsageError that names the flag which asks for what the model cannot give.
void check_flags(const ModelFiles& model, const PlanRequest& request) {
  naming_flags([&] { check_request(model.source(), model.config(), request); });
}

/// The memory that was given, or what this machine has: for all ranks together when they run on it.
MemoryOffer memory_of(const PlanOptions& options) {
  if (!options.memory_bytes.empty()) return {options.memory_bytes, false};
  const int64_t available = read_memory_limits().available_bytes;
  CN_CHECK(available > 0,
           "memory: expected the system to say what is available, got nothing; give --memory");
  const bool here = options.link == nullptr || options.link->between == Link::cores;
  return {{available}, here};
}

/// How fast this machine's memory is read, measured once for each number of threads.
class Measurement {
 public:
  explicit Measurement(const PlanOptions& options)
      : threads_(options.model.threads), ranks_(options.model.cut.ranks) {}

  /// Of one rank: ranks on cores of one machine divide what it has.
  double of(const Link& link) {
    const bool here = link.between == Link::cores;
    const int threads = threads_ == 0 ? default_thread_count(read_cpu_topology())
                                      : std::min(threads_ * (here ? ranks_ : 1), kMostThreads);
    return measured(threads) / (here ? ranks_ : 1);
  }

 private:
  static constexpr int kMostThreads = 512;

  double measured(int threads) {
    if (threads != last_threads_) {
      ThreadPoolOptions pool;
      pool.threads = threads;
      last_ = measure_read_bandwidth(pool, kQuickBandwidth);
      last_threads_ = threads;
    }
    return last_;
  }

  int threads_;
  int ranks_;
  int last_threads_ = 0;
  double last_ = 0;
};

std::vector<LinkForecast> forecast(const PlanOptions& options, const ModelPlan& plan) {
  std::vector<LinkForecast> forecasts;
  Measurement measurement(options);
  const auto ranks = static_cast<size_t>(plan.size());
  for (const Link& link : known_links()) {
    const bool measured = options.bytes_per_s.empty();
    if (options.link != nullptr && options.link != &link) continue;
    if (measured && link.between == Link::devices) continue;
    std::vector<double> rates = options.bytes_per_s;
    if (measured) rates = {measurement.of(link)};
    if (rates.size() == 1) rates.assign(ranks, rates.front());
    const Prediction first = predict_decode(plan, link, rates, 0);
    forecasts.push_back({&link, rates, first, predict_decode(plan, link, rates, plan.context)});
  }
  return forecasts;
}

}  // namespace

int plan(const PlanOptions& options) {
  const ModelFiles model(options.model.path);
  const PlanRequest request = request_of(options, model.config());
  check_flags(model, request);
  PlanReport report;
  report.path = options.model.path;
  report.shares = options.model.cut.shares;
  report.plan = plan_model(model.source(), model.config(), request);
  report.memory = memory_of(options);
  report.memory_measured = options.memory_bytes.empty();
  report.fit = judge_fit(model.source(), report.plan, request, report.memory);
  report.bandwidth_measured = options.bytes_per_s.empty();
  if (!options.brief) report.forecasts = forecast(options, report.plan);
  if (!options.svg_file.empty()) {
    NewFile file(options.svg_file);
    file.append(plan_svg(report));
    file.commit();
  }
  print(options.json    ? to_page(plan_json(report)) + "\n"
        : options.brief ? brief_plan(report)
                        : plan_page(report));
  return kOk;
}

}  // namespace colonnade::cli
