// colonnade bench: tokens per second of prompts and of generation, with the flags and fields of
// llama-bench.
#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/cpu_topology.h"
#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/meters.h"
#include "colonnade/cli/open_session.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/device/bandwidth.h"

namespace colonnade::cli {
namespace {

using nlohmann::ordered_json;

/// One length of prompt or of generation; the other is 0.
struct BenchCase {
  int64_t prompt = 0;
  int64_t answer = 0;

  int64_t tokens() const { return prompt + answer; }
};

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  // of the sample: divided by n - 1
};

MeanAndDeviation summarize(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  return {sum / n, values.size() < 2 ? 0 : std::sqrt(squares / (n - 1))};
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

/// "llama 135M Q4_1": the architecture, the size, and the type that most bytes have.
std::string model_type(const ModelDescription& d) {
  std::vector<std::pair<std::string, int64_t>> types;
  for (const ModelDescription::TensorInfo& tensor : d.tensors) {
    const auto it = std::find_if(types.begin(), types.end(),
                                 [&](const auto& type) { return type.first == tensor.type; });
    if (it == types.end()) {
      types.emplace_back(tensor.type, tensor.bytes);
    } else {
      it->second += tensor.bytes;
    }
  }
  const auto largest = std::max_element(
      types.begin(), types.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const double millions = static_cast<double>(d.parameters) / 1e6;
  const std::string size =
      millions >= 1000 ? fmt::format("{:.1f}B", millions / 1000) : fmt::format("{:.0f}M", millions);
  return fmt::format("{} {} {}", d.architecture, size,
                     largest == types.end() ? "" : largest->first);
}

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options), description_(describe_model(options.model.path)) {
    for (const int64_t tokens : options.prompts) cases_.push_back({tokens, 0});
    for (const int64_t tokens : options.answers) cases_.push_back({0, tokens});
  }

  /// One object per thread count and case.
  std::vector<ordered_json> measure() {
    std::vector<ordered_json> results;
    for (const int64_t threads : options_.threads) {
      const std::unique_ptr<Session> session = open(threads);
      const double bandwidth = session->read_bandwidth();
      const ordered_json loading = measure_loading(*session);
      for (const BenchCase& bench_case : cases_) {
        results.push_back(measure_case(*session, bench_case, bandwidth));
        results.back().update(loading);
      }
    }
    return results;
  }

 private:
  std::unique_ptr<Session> open(int64_t threads) const {
    ModelOptions model = options_.model;
    model.threads = static_cast<int>(threads);
    model.context = 1;
    for (const BenchCase& bench_case : cases_)
      model.context = std::max(*model.context, bench_case.tokens());
    return open_session(model);
  }

  /// What limits it: no model loads faster than its files are read.
  static ordered_json measure_loading(Session& session) {
    ordered_json loading = load_json(session);
    const double speed = load_times_of(session.rank_reports()).bytes_per_s();
    loading["load_gbs"] = speed / 1e9;
    loading["raw_read_gbs"] = session.raw_read_speed() / 1e9;
    loading["load_share"] = speed / session.raw_read_speed();
    return loading;
  }

  /// bandwidth: bytes/s that the session's threads read, the ceiling of generation.
  ordered_json measure_case(Session& session, const BenchCase& bench_case, double bandwidth) const {
    const std::string started = timestamp();
    std::vector<double> samples_ns, samples_ts;
    const std::string label =
        fmt::format("{} threads, {} {}", session.threads(),
                    bench_case.prompt > 0 ? "prompt" : "generation", bench_case.tokens());
    ProgressLine bar(!options_.model.quiet);
    for (int64_t i = -1; i < options_.repetitions; ++i) {  // the first warms up
      check_interrupt();
      bar.show(label, i + 1, options_.repetitions + 1);
      const double seconds = bench_case.prompt > 0
                                 ? session.generator().time_prompt(bench_case.prompt)
                                 : session.generator().time_decode(bench_case.answer);
      if (i < 0) continue;
      samples_ns.push_back(std::round(seconds * 1e9));
      samples_ts.push_back(static_cast<double>(bench_case.tokens()) / seconds);
    }
    ordered_json result = describe(session, bench_case);
    const MeanAndDeviation ns = summarize(samples_ns), ts = summarize(samples_ts);
    result["test_time"] = started;
    result["avg_ns"] = static_cast<int64_t>(ns.mean);
    result["stddev_ns"] = static_cast<int64_t>(ns.deviation);
    result["avg_ts"] = ts.mean;
    result["stddev_ts"] = ts.deviation;
    add_limits(session, bench_case, ts.mean, bandwidth, &result);
    result["samples_ns"] = ordered_json::array();
    for (const double sample : samples_ns)
      result["samples_ns"].push_back(static_cast<int64_t>(sample));
    result["samples_ts"] = samples_ts;
    return result;
  }

  ordered_json describe(const Session& session, const BenchCase& bench_case) const {
    return {{"build_version", COLONNADE_VERSION},
            {"cpu_info", read_cpu_topology().model},
            {"backends", session.device()},
            {"model_filename", options_.model.path},
            {"model_type", model_type(description_)},
            {"model_size", session.weight_bytes()},
            {"model_n_params", description_.parameters},
            {"n_ubatch", options_.model.chunk},
            {"n_ranks", session.ranks()},
            {"n_threads", session.threads()},
            {"precision", name_of(session.precision())},
            {"type_k", name_of(session.cache_dtype())},
            {"type_v", name_of(session.cache_dtype())},
            {"n_prompt", bench_case.prompt},
            {"n_gen", bench_case.answer}};
  }

  /// What limits it: generation reads all weights per token; a prompt multiplies.
  static void add_limits(const Session& session, const BenchCase& bench_case, double tokens_per_s,
                         double bandwidth, ordered_json* result) {
    ordered_json& r = *result;
    const double read = tokens_per_s * static_cast<double>(session.bytes_per_token());
    r["bytes_per_token"] = session.bytes_per_token();
    r["bandwidth_gbs"] = bandwidth / 1e9;
    r["read_gbs"] = bench_case.answer > 0 ? ordered_json(read / 1e9) : ordered_json(nullptr);
    r["bandwidth_share"] =
        bench_case.answer > 0 ? ordered_json(read / bandwidth) : ordered_json(nullptr);
    r["gflops"] = 2e-9 * tokens_per_s * static_cast<double>(session.multiply_adds_per_token());
  }

  const BenchOptions& options_;
  ModelDescription description_;
  std::vector<BenchCase> cases_;
};

std::string to_csv(const std::vector<ordered_json>& results) {
  std::string page;
  for (const ordered_json& result : results) {
    std::string heading, line;
    for (const auto& [key, value] : result.items()) {
      if (value.is_array()) continue;  // the samples
      const char* separator = heading.empty() ? "" : ",";
      heading += separator + key;
      line += separator + to_line(value);
    }
    if (page.empty()) page = heading + "\n";
    page += line + "\n";
  }
  return page;
}

/// The row of a session's loading, told by any of its cases.
std::string loading_row(const ordered_json& r) {
  const auto number = [&](const char* key) { return r.at(key).get<double>(); };
  return fmt::format(
      "| {} | {:.1f} MB | {:.0f} | {:.0f} | load | {:.2f} s | {:.2f} GB/s, {:.0f} % of {:.2f} "
      "measured; {:.0f} % packing |\n",
      r.at("model_type").get<std::string>(), number("load_bytes") / 1e6, number("n_ranks"),
      number("n_threads"), number("load_ms") / 1e3, number("load_gbs"), 100 * number("load_share"),
      number("raw_read_gbs"), 100 * number("load_packing_share"));
}

std::string to_markdown(const std::vector<ordered_json>& results) {
  std::string page =
      "| model | size | ranks | threads | test | t/s | what limits it |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n";
  for (size_t i = 0; i < results.size(); ++i) {
    const ordered_json& r = results[i];
    if (i == 0 || r.at("load_ms") != results[i - 1].at("load_ms")) page += loading_row(r);
    const auto number = [&](const char* key) { return r.at(key).get<double>(); };
    const bool generates = number("n_gen") > 0;
    const std::string test = generates ? fmt::format("tg{:.0f}", number("n_gen"))
                                       : fmt::format("pp{:.0f}", number("n_prompt"));
    const std::string limit =
        generates ? fmt::format("{:.2f} GB/s, {:.0f} % of {:.2f} measured", number("read_gbs"),
                                100 * number("bandwidth_share"), number("bandwidth_gbs"))
                  : fmt::format("{:.1f} Gflop/s", number("gflops"));
    page += fmt::format("| {} | {:.1f} MB | {:.0f} | {:.0f} | {} | {:.2f} ± {:.2f} | {} |\n",
                        r.at("model_type").get<std::string>(), number("model_size") / 1e6,
                        number("n_ranks"), number("n_threads"), test, number("avg_ts"),
                        number("stddev_ts"), limit);
  }
  return page;
}

}  // namespace

int bench(const BenchOptions& options) {
  catch_interrupts();
  const std::vector<ordered_json> results = Bench(options).measure();
  switch (options.format) {
    case BenchFormat::json:
      print_line(to_page(results));
      break;
    case BenchFormat::csv:
      print(to_csv(results));
      break;
    case BenchFormat::md:
      print(to_markdown(results));
      break;
  }
  return kOk;
}

}  // namespace colonnade::cli
