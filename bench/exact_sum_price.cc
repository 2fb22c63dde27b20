// What do exact sums cost a whole model on one rank? Prefill and decode with leaves added as
// integers, as the product always does it, beside the same products with the same leaves added in
// f32; in turns, medians of pairs.
//
//   bench_exact_sum_price MODEL.gguf [--isa NAME] [--prompt 512] [--answer 16] [--threads 1]
//                         [--rounds 7] [--tier int8|int15|f32]
//
// Between the kernels and the device stands a table that forgets to ask for integers, which only
// this program has. It also takes the time of the products that have such sums: what limits the
// price is their share of the whole and how much longer they take. With one thread, times are CPU
// times of the thread, so that other programs disturb less.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "colonnade/api/model_files.h"
#include "colonnade/base/error.h"
#include "colonnade/comm/group.h"
#include "colonnade/device/cpu_device.h"
#include "colonnade/device/isa.h"
#include "colonnade/engine/generator.h"
#include "colonnade/engine/page_pool.h"
#include "colonnade/engine/step_leader.h"
#include "colonnade/engine/step_runner.h"
#include "colonnade/models/loader.h"
#include "colonnade/tensor/workspace.h"
#include "colonnade/text/tokenizer.h"

namespace colonnade {
namespace {

struct Options {
  std::string model, isa, tier = "int8";
  int64_t prompt = 512, answer = 16, threads = 1, rounds = 7;
};

Options parse(int argc, char** argv) {
  CN_CHECK(argc >= 2, "bench_exact_sum_price: expected a GGUF file");
  Options o;
  o.model = argv[1];
  const std::map<std::string, std::string*> texts = {{"--isa", &o.isa}, {"--tier", &o.tier}};
  const std::map<std::string, int64_t*> numbers = {{"--prompt", &o.prompt},
                                                   {"--answer", &o.answer},
                                                   {"--threads", &o.threads},
                                                   {"--rounds", &o.rounds}};
  for (int i = 2; i < argc; i += 2) {
    CN_CHECK(i + 1 < argc, "bench_exact_sum_price: expected a value behind ", argv[i]);
    const std::string flag = argv[i];
    if (texts.count(flag) != 0) {
      *texts.at(flag) = argv[i + 1];
    } else {
      CN_CHECK(numbers.count(flag) != 0, "bench_exact_sum_price: unknown flag ", flag,
               "; see the head of bench/exact_sum_price.cc");
      *numbers.at(flag) = std::stoll(argv[i + 1]);
    }
  }
  return o;
}

Tier tier_named(const std::string& name) {
  for (const Tier tier : {Tier::int8, Tier::int15, Tier::f32}) {
    if (name == name_of(tier)) return tier;
  }
  throw Error(concat("bench_exact_sum_price: tier: expected int8, int15 or f32, got ", name));
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// What the table in between does and sees. Written by the caller's thread, which is worker 0,
/// while no command runs; `seconds` by worker 0.
struct Switch {
  const kernels::KernelTable* table = nullptr;
  bool exact = true;
  double seconds = 0;  // of worker 0 in products that ask for exact sums
  thread_local static bool first_worker;
};
thread_local bool Switch::first_worker = false;
Switch the_switch;

/// run(out) with integers or without.
template <typename Run>
void switched(kernels::ProductOut out, const Run& run) noexcept {
  if (out.exact == 0) return run(out);
  if (!the_switch.exact) out.exact = 0;
  const double begin = Switch::first_worker ? thread_seconds() : 0;
  run(out);
  if (Switch::first_worker) the_switch.seconds += thread_seconds() - begin;
}

kernels::KernelTable switched_table(const kernels::KernelTable& table) {
  using namespace kernels;
  the_switch.table = &table;
  KernelTable t = table;
  t.matmul_grouped = [](const GroupedView& w, const CodesView& x, Span panels,
                        const ProductOut& out, Scratch scratch) noexcept {
    switched(out, [&](const ProductOut& to) {
      the_switch.table->matmul_grouped(w, x, panels, to, scratch);
    });
  };
  t.matmul_grouped_f32 = [](const GroupedView& w, const float* x, int64_t x_stride, int64_t tokens,
                            Span panels, const ProductOut& out, Scratch scratch) noexcept {
    switched(out, [&](const ProductOut& to) {
      the_switch.table->matmul_grouped_f32(w, x, x_stride, tokens, panels, to, scratch);
    });
  };
  t.matmul_dense = [](const DenseView& w, const float* x, int64_t x_stride, int64_t tokens,
                      Span panels, const ProductOut& out, Scratch scratch) noexcept {
    switched(out, [&](const ProductOut& to) {
      the_switch.table->matmul_dense(w, x, x_stride, tokens, panels, to, scratch);
    });
  };
  return t;
}

/// A session whose device has the table in between.
struct Model {
  Model(const Options& o, const kernels::KernelTable& t)
      : table(switched_table(t)),
        files(o.model),
        config(files.config()),
        tokenizer(files.vocabulary()),
        params(files.source(), Cut{}),
        decoder(params, config),
        device(table, ThreadPoolOptions{static_cast<int>(o.threads), Pinning::automatic}),
        workspace(device) {
    const Tier tier = tier_named(o.tier);
    load_params(params, device, tier, [](int64_t) {});
    const DType cache = tier == Tier::int8 ? DType::bf16 : DType::f32;
    const KvLayout layout = {config.layers, decoder.heads().kv_heads.size(), config.head_dim,
                             cache};
    pages = std::make_unique<PagePool>(device, layout);
    runner = std::make_unique<StepRunner>(
        Ctx{device, workspace, Mesh{&group}, {}}, decoder, *pages,
        StepRunnerOptions{std::max(o.prompt, o.answer), tokenizer.vocab_size()});
    leader = std::make_unique<StepLeader>(*runner);
    generator = std::make_unique<Generator>(*leader, tokenizer, 512);
  }

  const kernels::KernelTable table;
  ModelFiles files;
  DecoderConfig config;
  SoloGroup group;
  text::Tokenizer tokenizer;
  ParamSet params;
  Decoder decoder;
  CpuDevice device;
  Workspace workspace;
  std::unique_ptr<PagePool> pages;
  std::unique_ptr<StepRunner> runner;
  std::unique_ptr<StepLeader> leader;
  std::unique_ptr<Generator> generator;
};

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<int64_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

struct Sample {
  double whole, products;  // seconds
};

template <typename Run>
void compare(const char* what, int64_t tokens, const Options& o, const Run& run) {
  const auto sample = [&](bool exact) {
    the_switch.exact = exact;
    the_switch.seconds = 0;
    const double begin = o.threads == 1 ? thread_seconds() : wall_seconds();
    run();
    return Sample{(o.threads == 1 ? thread_seconds() : wall_seconds()) - begin, the_switch.seconds};
  };
  sample(true);  // warms up
  std::vector<double> times, prices, product_prices, shares;
  for (int64_t round = 0; round < o.rounds; ++round) {
    const Sample first = sample(round % 2 == 0), second = sample(round % 2 != 0);
    const Sample &exact = round % 2 == 0 ? first : second, &plain = round % 2 == 0 ? second : first;
    times.push_back(exact.whole);
    prices.push_back(exact.whole / plain.whole - 1);
    product_prices.push_back(exact.products / plain.products - 1);
    shares.push_back(plain.products / plain.whole);
  }
  const auto [least, most] = std::minmax_element(prices.begin(), prices.end());
  fmt::print(
      "{:8} {:5} tokens {:9.2f} tokens/s   price {:5.2f} %  ({:.2f} .. {:.2f})   products "
      "with sums: {:4.1f} % of the whole, {:5.2f} % longer\n",
      what, tokens, static_cast<double>(tokens) / median(times), 100 * median(prices), 100 * *least,
      100 * *most, 100 * median(shares), 100 * median(product_prices));
}

void run(const Options& o) {
  const kernels::KernelTable& table = choose_table(o.isa);
  Switch::first_worker = true;
  Model model(o, table);
  fmt::print("{}, {}, {}\n", o.model, model.device.description(), o.tier);
  if (o.prompt > 0) {
    compare("prefill", o.prompt, o, [&] { model.generator->time_prompt(o.prompt); });
  }
  if (o.answer > 0) {
    compare("decode", o.answer, o, [&] { model.generator->time_decode(o.answer); });
  }
}

}  // namespace
}  // namespace colonnade

int main(int argc, char** argv) {
  try {
    colonnade::run(colonnade::parse(argc, argv));
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
