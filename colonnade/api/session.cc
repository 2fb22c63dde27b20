#include "colonnade/api/session.h"

#include <algorithm>
#include <utility>

#include "colonnade/api/gguf_vocabulary.h"
#include "colonnade/api/memory_plan.h"
#include "colonnade/base/cpu_float_env.h"
#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/error.h"
#include "colonnade/comm/group.h"
#include "colonnade/device/bandwidth.h"
#include "colonnade/device/devices.h"
#include "colonnade/engine/step_runner.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/models/family.h"
#include "colonnade/models/loader.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

/// The context when nobody asks for one: a chat's worth, never more than the model's.
constexpr int64_t kDefaultContext = 8192;
/// Pages of one sequence that a device can list.
constexpr int64_t kMostContext = int64_t{1} << 22;
/// A session measures beside a loaded model: within the 256 MB that it may take above its weights
/// and cache, and not for long beside a short answer.
constexpr BandwidthOptions kQuickBandwidth = {.bytes = int64_t{192} << 20, .passes = 4};

int64_t context_of(const SessionOptions& options, const DecoderConfig& config) {
  CN_CHECK(options.context >= 0, "context: expected a positive number of positions, got ",
           options.context);
  CN_CHECK(options.context <= config.context, "context: expected at most ", config.context,
           " positions (the model's), got ", options.context);
  return options.context > 0 ? options.context : std::min(config.context, kDefaultContext);
}

DType cache_of(const SessionOptions& options) {
  const DType dtype = options.cache.value_or(
      options.precision.value_or(Tier::int8) == Tier::int8 ? DType::bf16 : DType::f32);
  CN_CHECK(dtype == DType::f32 || dtype == DType::bf16, "KV cache: expected f32 or bf16, got ",
           name_of(dtype));
  return dtype;
}

DeviceOptions device_options(const SessionOptions& options) {
  DeviceOptions device;
  device.isa = options.isa;
  device.threads = options.threads;
  return device;
}

text::Vocabulary vocabulary_of(const GgufFile& file) { return gguf_vocabulary(file.metadata()); }

}  // namespace

struct Session::Impl {
  GgufFile file;
  GgufSource source;
  DecoderConfig config;
  SessionOptions options;
  int64_t context;
  Tier precision;
  DType cache;
  SoloGroup group;
  text::Tokenizer tokenizer;
  std::optional<text::ChatTemplate> chat_template;
  ParamSet params;
  Decoder decoder;
  std::unique_ptr<Device> device;
  std::unique_ptr<Workspace> workspace;
  std::unique_ptr<PagePool> pages;
  std::unique_ptr<StepRunner> runner;
  std::unique_ptr<Generator> generator;
  std::optional<double> bandwidth;

  explicit Impl(const SessionOptions& o)
      : file(o.model),
        source((check_architecture(file.metadata()), file)),
        config(read_config(file.metadata(), source)),
        options(o),
        context(context_of(o, config)),
        precision(o.precision.value_or(Tier::int8)),
        cache(cache_of(o)),
        tokenizer(vocabulary_of(file)),
        params(source, Cut{}),
        decoder(params, config) {
    CN_CHECK(tokenizer.vocab_size() <= config.vocab, o.model, ": expected at most ", config.vocab,
             " tokens (rows of the embedding), got ", tokenizer.vocab_size());
    const std::string& source_text = file.metadata().text_or("tokenizer.chat_template", "");
    if (!source_text.empty()) chat_template.emplace(source_text, o.model + ": chat template");
    load();
  }

  KvLayout layout() const {
    return {config.layers, decoder.heads().kv_heads.size(), config.head_dim, cache};
  }

  void load() {
    check_params(params, {"rope_freqs.weight"});
    const MemoryPlan plan =
        plan_memory(config, estimate_weight_bytes(params), layout(), context, options.chunk);
    const int64_t available = read_memory_limits().available_bytes;
    if (available > 0) check_memory(plan, available, context);  // 0: the system does not say
    CN_CHECK(context <= kMostContext, "context: expected at most ", kMostContext,
             " positions, got ", context);
    device = make_device(device_options(options));
    load_params(params, *device, precision, [this](int64_t done) {
      if (options.progress) options.progress(done, file.size_bytes());
    });
    workspace = std::make_unique<Workspace>(*device);
    pages = std::make_unique<PagePool>(*device, layout());
    runner = std::make_unique<StepRunner>(Ctx{*device, *workspace, Mesh{&group}, {}}, decoder,
                                          *pages, context);
    generator = std::make_unique<Generator>(*runner, tokenizer, options.chunk);
  }

  /// f(weight) for every matrix in memory.
  template <typename F>
  void for_weights(const F& f) const {
    for (const MatrixParam& param : params.matrices()) f(param, **param.slot);
  }
};

Session::Session(const SessionOptions& options) {
  const FloatEnvironment environment;
  impl_ = std::make_unique<Impl>(options);
}

Session::~Session() = default;

const text::Tokenizer& Session::tokenizer() const { return impl_->tokenizer; }

const text::ChatTemplate& Session::chat_template() const {
  CN_CHECK(impl_->chat_template.has_value(), impl_->file.path(),
           ": the model has no chat template: use `run` for plain completion");
  return *impl_->chat_template;
}

text::ChatInput Session::chat_input() const {
  text::ChatInput input;
  const text::Tokenizer& t = impl_->tokenizer;
  if (t.bos() >= 0) input.bos_token = t.token_text(t.bos());
  if (t.eos() >= 0) input.eos_token = t.token_text(t.eos());
  return input;
}

std::string Session::device() const { return impl_->device->description(); }
int Session::threads() const { return impl_->device->workers(); }
Tier Session::precision() const { return impl_->precision; }
DType Session::cache_dtype() const { return impl_->cache; }
int64_t Session::context() const { return impl_->context; }
int64_t Session::vocab() const { return impl_->config.vocab; }

int64_t Session::weight_bytes() const {
  int64_t bytes = 0;
  impl_->for_weights([&](const MatrixParam&, const Weight& weight) { bytes += weight.bytes(); });
  return bytes;
}

int64_t Session::bytes_per_token() const {
  int64_t bytes = 0;
  impl_->for_weights([&](const MatrixParam& param, const Weight& weight) {
    if (param.name != "token_embd.weight" || impl_->decoder.tied()) bytes += weight.bytes();
  });
  return bytes;
}

int64_t Session::multiply_adds_per_token() const {
  int64_t products = 0;
  impl_->for_weights([&](const MatrixParam& param, const Weight& weight) {
    if (param.name != "token_embd.weight" || impl_->decoder.tied())
      products += weight.rows() * weight.k();
  });
  return products;
}

double Session::read_bandwidth() {
  if (!impl_->bandwidth) {
    ThreadPoolOptions pool;
    pool.threads = threads();
    impl_->bandwidth = measure_read_bandwidth(pool, kQuickBandwidth);
  }
  return *impl_->bandwidth;
}

Generator& Session::generator() { return *impl_->generator; }

text::Tokenizer load_tokenizer(const std::string& path) {
  return text::Tokenizer(vocabulary_of(GgufFile(path)));
}

}  // namespace colonnade
