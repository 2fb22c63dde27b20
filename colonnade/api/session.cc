#include "colonnade/api/session.h"

#include <algorithm>
#include <utility>

#include "colonnade/api/rank_engine.h"
#include "colonnade/base/cpu_float_env.h"
#include "colonnade/base/error.h"
#include "colonnade/device/bandwidth.h"
#include "colonnade/engine/step_leader.h"
#include "colonnade/io/read_speed.h"

namespace colonnade {
namespace {

/// A session measures beside a loaded model: within the 256 MB that it may take above its weights
/// and cache, and not for long beside a short answer.
constexpr BandwidthOptions kQuickBandwidth = {.bytes = int64_t{192} << 20, .passes = 4};

}  // namespace

struct Session::Impl {
  SessionModel model;
  std::optional<text::ChatTemplate> chat_template;
  std::unique_ptr<Ranks> ranks;
  std::unique_ptr<RankEngine> engine;  // rank 0's
  std::unique_ptr<StepLeader> leader;
  std::unique_ptr<Generator> generator;
  std::optional<double> bandwidth;
  std::optional<double> raw_read;
  GroupStats loading;  // what loading took

  explicit Impl(const SessionOptions& options) : model(options) {
    const std::string source = model.files.chat_template();
    if (!source.empty()) chat_template.emplace(source, options.model + ": chat template");
    check_memory_of(model);
    ranks = start_ranks(
        options.ranks_as,
        {.ranks = options.ranks, .part_bytes = part_bytes_of(model), .crowded = model.crowded()},
        [this](Group& group) { follow_as_rank(group); });
    try {
      engine = std::make_unique<RankEngine>(model, ranks->group(), options.progress);
    } catch (const std::exception& error) {
      ranks->group().abandon(error.what());
      throw;
    } catch (...) {
      ranks->group().abandon("rank 0 was interrupted");
      throw;
    }
    leader = std::make_unique<StepLeader>(engine->runner());
    generator = std::make_unique<Generator>(*leader, model.tokenizer, options.chunk);
    loading = ranks->group().stats();
  }

  /// What the other ranks do. Of this object they read the model alone, which is complete.
  void follow_as_rank(Group& group) const {
    RankEngine mine(model, group, {});
    follow(mine.runner());
  }

  /// What `measure` gives for a pool of as many threads as the session has, wherever rank 0's are.
  template <typename Measure>
  double measured(std::optional<double>& known, const Measure& measure) {
    if (!known) {
      const CpuAffinity everywhere(engine->former_cpus());
      ThreadPoolOptions pool;
      pool.threads = threads();
      known = measure(pool);
    }
    return *known;
  }

  int threads() const {
    int threads = 0;
    for (const RankReport& report : engine->reports()) threads += report.threads;
    return threads;
  }

  /// Sum of one figure of all ranks.
  int64_t sum_of(int64_t RankReport::*figure) const {
    int64_t sum = 0;
    for (const RankReport& report : engine->reports()) sum += report.*figure;
    return sum;
  }
};

Session::Session(const SessionOptions& options) {
  const FloatEnvironment environment;
  impl_ = std::make_unique<Impl>(options);
}

Session::~Session() = default;

const text::Tokenizer& Session::tokenizer() const { return impl_->model.tokenizer; }

const text::ChatTemplate& Session::chat_template() const {
  CN_CHECK(impl_->chat_template.has_value(), impl_->model.files.path(),
           ": the model has no chat template: use `run` for plain completion");
  return *impl_->chat_template;
}

text::ChatInput Session::chat_input() const {
  text::ChatInput input;
  const text::Tokenizer& t = impl_->model.tokenizer;
  if (t.bos() >= 0) input.bos_token = t.token_text(t.bos());
  if (t.eos() >= 0) input.eos_token = t.token_text(t.eos());
  return input;
}

std::vector<std::string> Session::warnings() const { return impl_->model.files.warnings(); }

int Session::ranks() const { return impl_->model.options.ranks; }

std::string Session::device() const {
  const std::vector<RankReport>& all = impl_->engine->reports();
  if (all.size() == 1) return all.front().device;
  std::string text = concat(all.size(), " ranks: ", all.front().device);
  const bool alike = std::all_of(all.begin(), all.end(), [&](const RankReport& report) {
    return std::string_view(report.device) == all.front().device;
  });
  if (alike) return text + " each";
  for (size_t r = 1; r < all.size(); ++r) text += concat("; ", all[r].device);
  return text;
}

int Session::threads() const { return impl_->threads(); }

Tier Session::precision() const { return impl_->model.precision; }
DType Session::cache_dtype() const { return impl_->model.cache; }
int64_t Session::context() const { return impl_->model.context; }
int64_t Session::vocab() const { return impl_->model.config.vocab; }
int64_t Session::weight_bytes() const { return impl_->sum_of(&RankReport::weight_bytes); }
int64_t Session::bytes_per_token() const { return impl_->sum_of(&RankReport::bytes_per_token); }
int64_t Session::multiply_adds_per_token() const {
  return impl_->sum_of(&RankReport::multiply_adds);
}

double Session::read_bandwidth() {
  return impl_->measured(impl_->bandwidth, [](const ThreadPoolOptions& pool) {
    return measure_read_bandwidth(pool, kQuickBandwidth);
  });
}

double Session::raw_read_speed() {
  return impl_->measured(impl_->raw_read, [this](const ThreadPoolOptions& pool) {
    return measure_read_speed(impl_->model.files.files(), pool);
  });
}

std::span<const RankReport> Session::rank_reports() const { return impl_->engine->reports(); }
GroupStats Session::group_stats() const {
  GroupStats stats = impl_->ranks->group().stats();
  stats.exchanges -= impl_->loading.exchanges;
  stats.bytes -= impl_->loading.bytes;
  stats.waited_s -= impl_->loading.waited_s;
  return stats;
}
void Session::check_ranks() { impl_->ranks->group().check(); }
void Session::set_probe(Probe probe) { impl_->engine->runner().set_probe(std::move(probe)); }

Generator& Session::generator() { return *impl_->generator; }

text::Tokenizer load_tokenizer(const std::string& path) { return ModelFiles(path).tokenizer(); }

}  // namespace colonnade
