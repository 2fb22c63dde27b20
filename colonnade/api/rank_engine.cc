#include "colonnade/api/rank_engine.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "colonnade/api/plan.h"
#include "colonnade/api/rank_speed.h"
#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/error.h"
#include "colonnade/comm/collectives.h"
#include "colonnade/device/devices.h"
#include "colonnade/models/loader.h"

namespace colonnade {
namespace {

void check_settings(const SessionOptions& o) {
  CN_CHECK(o.each.empty() || static_cast<int64_t>(o.each.size()) == o.ranks,
           "settings of ranks: expected one for each of ", o.ranks, " ranks, got ", o.each.size());
  const DType cache = o.cache.value_or(default_cache(o.precision));
  CN_CHECK(cache == DType::f32 || cache == DType::bf16, "KV cache: expected f32 or bf16, got ",
           name_of(cache));
}

PlanRequest request_of(const SessionOptions& o) {
  return {.ranks = o.ranks,
          .shares = o.shares,
          .context = o.context,
          .chunk = o.chunk,
          .precision = o.precision,
          .cache = o.cache};
}

KvLayout layout_of(const SessionModel& model, const Decoder& decoder) {
  return {model.config.layers, decoder.heads().kv_heads.size(), model.config.head_dim, model.cache};
}

/// The cores that are `rank`'s alone: consecutive ones of this machine, or none where ranks have to
/// share them.
std::vector<int> cores_of(const SessionModel& model, int rank) {
  const int ranks = model.options.ranks;
  const auto cores = static_cast<int64_t>(model.cores.size());
  if (ranks == 1 || model.threads_before(ranks) > cores) return {};
  const auto first = model.cores.begin() + model.threads_before(rank);
  return {first, first + model.threads_of(rank)};
}

DeviceOptions device_options(const SessionModel& model, int rank) {
  const SessionOptions& o = model.options;
  DeviceOptions device;
  device.isa = o.isa;
  if (!o.each.empty() && !o.each[static_cast<size_t>(rank)].isa.empty())
    device.isa = o.each[static_cast<size_t>(rank)].isa;
  device.threads = model.threads_of(rank);
  device.crowded = model.crowded();
  // Several ranks: the rank as a whole has its cores, and joins the device too often for a caller
  // that moves to its core and back.
  if (o.ranks > 1) device.pinning = Pinning::off;
  return device;
}

/// Every rank's `mine`, by rank.
template <typename T>
std::vector<T> gather_values(Group& group, const T& mine, const char* operation) {
  std::vector<T> values;
  for (const std::vector<std::byte>& bytes :
       all_gather(group, std::as_bytes(std::span(&mine, 1)), operation)) {
    T& value = values.emplace_back();
    CN_CHECK(bytes.size() == sizeof value, operation, ": expected ", sizeof value,
             " bytes of a rank, got ", bytes.size());
    std::memcpy(&value, bytes.data(), sizeof value);
  }
  return values;
}

/// Calls `f` while the group waits.
class WhileWaiting {
 public:
  WhileWaiting(Group& group, std::function<void()> f) : group_(group) {
    group_.set_on_wait(std::move(f));
  }
  ~WhileWaiting() { group_.set_on_wait({}); }
  WhileWaiting(const WhileWaiting&) = delete;
  WhileWaiting& operator=(const WhileWaiting&) = delete;

 private:
  Group& group_;
};

}  // namespace

SessionModel::SessionModel(const SessionOptions& o)
    : options((check_settings(o), o)),
      files(o.model),
      source(files.source()),
      config(files.config()),
      tokenizer(files.tokenizer()) {
  // As a model was cut, each rank reads one file.
  if (o.shares.empty() && !o.measured_shares) options.shares = files.shares_of(o.ranks);
  check_request(source, config, request_of(options));
  CN_CHECK(tokenizer.vocab_size() <= config.vocab, o.model, ": expected at most ", config.vocab,
           " tokens (rows of the embedding), got ", tokenizer.vocab_size());
  context = o.context > 0 ? o.context : default_context(config);
  config = for_context(std::move(config), context);
  precision = o.precision.value_or(Tier::int8);
  cache = o.cache.value_or(default_cache(o.precision));
  const CpuTopology machine = read_cpu_topology();
  cores = machine.cores;
  cpus = available_cpus(machine);
  headers_read_s = files.read_s();
}

Cut SessionModel::cut(int rank, const std::vector<double>& shares) const {
  return {rank, options.ranks, shares.empty() ? options.shares : shares};
}

int SessionModel::threads_of(int rank) const {
  if (!options.each.empty() && options.each[static_cast<size_t>(rank)].threads > 0)
    return options.each[static_cast<size_t>(rank)].threads;
  if (options.threads > 0) return options.threads;
  const int all = static_cast<int>(std::min(static_cast<double>(cores.size()), cpus));
  return std::max(1, static_cast<int>(Partition(all, 1, options.ranks).of(rank).size()));
}

int SessionModel::threads_before(int rank) const {
  int threads = 0;
  for (int r = 0; r < rank; ++r) threads += threads_of(r);
  return threads;
}

bool SessionModel::crowded() const { return threads_before(options.ranks) > cpus; }

RankEngine::RankEngine(const SessionModel& model, Group& group, const LoadProgress& progress)
    : model_(model), group_(group), affinity_(cores_of(model, group.rank())) {
  group_.set_timeout(model.options.timeout_s);
  try {
    load(progress);
  } catch (const CommError&) {
    throw;
  } catch (const AgreedError&) {
    throw;
  } catch (const Error& error) {
    group_.fail_together(Failure::of(error));
  } catch (const std::bad_alloc&) {
    group_.fail_together({.words = "out of memory while loading"});
  }
}

void RankEngine::load(const LoadProgress& progress) {
  const int rank = group_.rank();
  device_ = make_device(device_options(model_, rank));
  std::vector<double> shares;
  if (model_.options.measured_shares) shares = measured_shares();
  source_ = model_.files.source_of(rank, group_.size());
  params_.emplace(*source_, model_.cut(rank, shares));
  decoder_ = std::make_unique<Decoder>(*params_, model_.config);
  check_params(*params_, decoder_->ignorable());
  load_weights(progress);
  workspace_ = std::make_unique<Workspace>(*device_);
  pages_ = std::make_unique<PagePool>(*device_, layout_of(model_, *decoder_));
  runner_ = std::make_unique<StepRunner>(
      Ctx{*device_, *workspace_, Mesh{&group_}, {}}, *decoder_, *pages_,
      StepRunnerOptions{model_.context,
                        std::min(model_.config.vocab, model_.tokenizer.vocab_size())});
  reports_ = gather_values(group_, report(), "loading: reports");
}

void RankEngine::load_weights(const LoadProgress& progress) {
  std::vector<LoadedBytes> loaded(static_cast<size_t>(group_.size()));
  const auto show = [&] {
    if (!progress) return;
    for (int r = 0; r < group_.size(); ++r)
      loaded[static_cast<size_t>(r)].done = group_.progress_of(r);
    progress(loaded);
  };
  const WhileWaiting others(group_, show);
  const auto sizes = gather_values(group_, share_bytes(*params_), "loading: sizes");
  for (size_t r = 0; r < loaded.size(); ++r) loaded[r].all = sizes[r];
  const auto begin = std::chrono::steady_clock::now();
  load_params(*params_, *device_, model_.precision, [&](int64_t bytes) {
    group_.beat(bytes);
    show();
  });
  load_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  barrier(group_, "loading");
  show();
}

RankReport RankEngine::report() const {
  RankReport mine;
  for (const MatrixParam& param : params_->matrices()) {
    const Weight& weight = **param.slot;
    mine.weight_bytes += weight.bytes();
    // An embedding is looked up, unless it is the head too.
    if (param.name == "token_embd.weight" && !decoder_->tied()) continue;
    mine.bytes_per_token += used_of(param, weight.bytes());
    mine.multiply_adds += used_of(param, weight.rows() * weight.k());
  }
  mine.file_bytes = share_bytes(*params_);
  mine.load_s = load_s_;
  const int readers = model_.options.ranks_as == RanksAs::threads ? group_.size() : 1;
  mine.read_s = (model_.files.read_s() - model_.headers_read_s) / readers;
  mine.threads = device_->workers();
  const std::string description = device_->description();
  description.copy(mine.device, sizeof mine.device - 1);
  return mine;
}

std::vector<double> RankEngine::measured_shares() {
  barrier(group_, "measuring the ranks");  // all at once, as they will run
  return gather_values(group_, measure_rank_speed(*device_), "measuring the ranks");
}

void check_memory_of(const SessionModel& model) {
  const int64_t available = read_memory_limits().available_bytes;
  MemoryPlan all;
  for (const RankPlan& rank :
       plan_model(model.source, model.config, request_of(model.options)).ranks)
    all += rank.memory;
  if (available > 0) check_memory(all, available, model.context);  // 0: the system does not say
  CN_CHECK(model.context <= kMostContext, "context: expected at most ", kMostContext,
           " positions, got ", model.context);
}

int64_t part_bytes_of(const SessionModel& model) {
  return largest_part_bytes(model.config, std::min(model.options.chunk, model.context));
}

}  // namespace colonnade
