// Session: a loaded model that answers. Composes device, group, model, tokenizer and engine for
// programs that use the library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "colonnade/api/rank_report.h"
#include "colonnade/base/dtype.h"
#include "colonnade/comm/ranks.h"
#include "colonnade/engine/generator.h"
#include "colonnade/tensor/ctx.h"
#include "colonnade/tensor/weight.h"
#include "colonnade/text/chat_template.h"
#include "colonnade/text/tokenizer.h"

namespace colonnade {

/// Bytes of the file that a rank has packed, and those that it will have; 0: it has not said.
struct LoadedBytes {
  int64_t done = 0;
  int64_t all = 0;
};
/// By rank; called from rank 0's thread, also while it waits for the others. What it throws ends
/// the loading.
using LoadProgress = std::function<void(std::span<const LoadedBytes> ranks)>;

/// What one rank has otherwise than the others.
struct RankSettings {
  int threads = 0;  // 0: SessionOptions::threads
  std::string isa;  // none: SessionOptions::isa
};

struct SessionOptions {
  std::string model;             // as ModelFiles takes it
  int ranks = 1;                 // that the model is cut across; any number gives the same bits
  std::vector<double> shares;    // [ranks] what each takes of it; none: equal
  bool measured_shares = false;  // in place of `shares`: as fast as each rank is here
  RanksAs ranks_as = RanksAs::threads;
  std::vector<RankSettings> each;  // [ranks], or none: all alike
  double timeout_s = 60;  // a rank that gives no sign of life for so long is lost; 0: never
  int threads = 0;        // of each rank; 0: the physical cores that the process may use, divided
  int64_t context = 0;    // positions; 0: the model's, at most 8192
  int64_t chunk = 512;    // prompt tokens per step
  std::optional<Tier> precision;  // grouped weights; none: int8
  std::optional<DType> cache;     // f32 or bf16; none: f32 with precision f32 and int15, else bf16
  std::string isa;                // none: COLONNADE_ISA, else the best
  LoadProgress progress;
};

/// What a model is, from its header alone.
struct ModelDescription {
  std::string path;
  std::string name;
  std::string architecture;
  int64_t layers = 0, dim = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn_dim = 0, vocab = 0,
          context = 0;
  int64_t parameters = 0;
  int64_t file_bytes = 0;
  int rank_files = 0;  // the model was cut into so many, one per rank; 0: it is whole
  struct TensorInfo {
    std::string name, type;
    std::vector<int64_t> shape;  // [out, in]
    int64_t bytes = 0;
  };
  std::vector<TensorInfo> tensors;
  std::string chat_template;  // empty: none
};
/// `name` as ModelFiles takes it. Throws Error if it is not a model that can be read. An
/// architecture that is not supported is described all the same.
ModelDescription describe_model(const std::string& name);

/// With several ranks the thread that makes a session, rank 0, keeps to that rank's cores until the
/// session is gone, and so do threads that it starts meanwhile; make and destroy it on one thread.
class Session {
 public:
  /// Loads the model. Throws Error: no such file, unsupported architecture or type, a context
  /// longer than the model's, not enough memory (with the arithmetic), ...
  explicit Session(const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const text::Tokenizer& tokenizer() const;
  /// Throws Error if the model has no chat template.
  const text::ChatTemplate& chat_template() const;
  /// bos and eos as a chat template wants to see them ("" if the model has none).
  text::ChatInput chat_input() const;

  /// What is wrong with the model's files and was got over.
  std::vector<std::string> warnings() const;

  int ranks() const;
  /// "cpu avx512vnni, 2 threads"; "2 ranks: cpu avx512vnni, 1 thread"
  std::string device() const;
  /// Of all ranks together.
  int threads() const;
  Tier precision() const;
  DType cache_dtype() const;
  int64_t context() const;
  int64_t vocab() const;
  /// Bytes of weights in memory, and those that one decode step reads, on all ranks.
  int64_t weight_bytes() const;
  int64_t bytes_per_token() const;
  /// Multiply-adds of one token, without attention.
  int64_t multiply_adds_per_token() const;
  /// Measured read bandwidth of this machine with the session's threads, bytes/s; measured on the
  /// first call (about 0.2 s).
  double read_bandwidth();
  /// What the session's threads read of the model's files when nothing is done with it, bytes/s;
  /// measured on the first call (0.1 s at most).
  double raw_read_speed();

  /// What each rank has.
  std::span<const RankReport> rank_reports() const;
  /// Since the model was loaded: exchanges between ranks, bytes that rank 0 told, time that it
  /// waited.
  GroupStats group_stats() const;
  /// Throws CommError if a rank is lost.
  void check_ranks();
  /// Shows rank 0's activations from the next step on; an empty one ends that. Those between layers
  /// are equal on all ranks.
  void set_probe(Probe probe);

  /// The generator of this session's one sequence.
  Generator& generator();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The tokenizer of a model without its weights.
text::Tokenizer load_tokenizer(const std::string& path);

}  // namespace colonnade
