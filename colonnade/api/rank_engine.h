// RankEngine: one rank's part of a session: its slice of the model on its device, ready for steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "colonnade/api/model_files.h"
#include "colonnade/api/session.h"
#include "colonnade/base/cpu_affinity.h"
#include "colonnade/comm/group.h"
#include "colonnade/engine/step_runner.h"
#include "colonnade/models/decoder.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {

/// What the header of a model and the options of a session say, the same for all ranks. Does not
/// change once it is made: ranks that are threads share it, processes have a copy and share the
/// open file.
struct SessionModel {
  explicit SessionModel(const SessionOptions& options);

  /// The cut of `rank`; `shares` as they were measured, or empty.
  Cut cut(int rank, const std::vector<double>& shares) const;
  /// Threads of `rank`.
  int threads_of(int rank) const;
  /// Threads of the ranks before `rank` together; of all for options.ranks.
  int threads_before(int rank) const;
  /// More threads than CPUs in all.
  bool crowded() const;

  SessionOptions options;
  ModelFiles files;
  const TensorSource& source;
  DecoderConfig config;  // for `context`
  text::Tokenizer tokenizer;
  int64_t context = 0;
  Tier precision = Tier::int8;
  DType cache = DType::bf16;
  std::vector<int> cores;     // of this machine that the process may use
  double cpus = 1;            // CPUs' worth of time
  double headers_read_s = 0;  // of files.read_s(), before weights were read
};

class RankEngine {
 public:
  /// Loads. Throws on every rank the same AgreedError if one cannot; CommError. `progress` may be
  /// empty. Both must outlive it.
  RankEngine(const SessionModel& model, Group& group, const LoadProgress& progress);

  StepRunner& runner() { return *runner_; }
  /// [N], on every rank.
  const std::vector<RankReport>& reports() const { return reports_; }
  /// CPUs that the calling thread had before it became a rank; none: they are the same.
  std::vector<int> former_cpus() const { return affinity_.former(); }

 private:
  void load(const LoadProgress& progress);
  /// Returns when all ranks have theirs.
  void load_weights(const LoadProgress& progress);
  RankReport report() const;
  std::vector<double> measured_shares();

  const SessionModel& model_;
  Group& group_;
  CpuAffinity affinity_;
  std::unique_ptr<Device> device_;
  std::shared_ptr<const TensorSource> source_;
  std::optional<ParamSet> params_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<PagePool> pages_;
  std::unique_ptr<StepRunner> runner_;
  std::vector<RankReport> reports_;
  double load_s_ = 0;
};

/// Throws Error with the arithmetic if the ranks together do not fit into this machine's memory.
void check_memory_of(const SessionModel& model);

/// largest_part_bytes() of its steps.
int64_t part_bytes_of(const SessionModel& model);

}  // namespace colonnade
