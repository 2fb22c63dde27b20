#include "colonnade/cli/meters.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/cli/interrupt.h"

namespace colonnade::cli {

namespace {

/// What rank 0 told the others and how long it waited for them, since the model was loaded.
struct RankMeters {
  RankMeters(const Session& session, const Timings& timings) {
    const GroupStats stats = session.group_stats();
    const double seconds = timings.prompt_s + timings.generation_s;
    const auto tokens = static_cast<double>(timings.prompt_tokens + timings.generated_tokens);
    bytes_per_token = tokens > 0 ? static_cast<double>(stats.bytes) / tokens : 0;
    waiting = seconds > 0 ? stats.waited_s / seconds : 0;
  }
  double bytes_per_token;
  double waiting;  // share of the time
};

}  // namespace

Timings add(const Timings& a, const Timings& b) {
  return {.prompt_tokens = a.prompt_tokens + b.prompt_tokens,
          .cached_tokens = a.cached_tokens + b.cached_tokens,
          .generated_tokens = a.generated_tokens + b.generated_tokens,
          .prompt_s = a.prompt_s + b.prompt_s,
          .generation_s = a.generation_s + b.generation_s};
}

OnPrompt prompt_meter(ProgressLine& bar) {
  return [&bar](int64_t done, int64_t all) {
    check_interrupt();
    if (done < all) {
      bar.show("reading the prompt", done, all);
    } else {
      bar.clear();
    }
  };
}

OnBytes bytes_meter(ProgressLine& bar, std::string label) {
  return [&bar, label = std::move(label)](int64_t done, int64_t all) {
    check_interrupt();
    bar.show(label, done, all);
  };
}

std::string speed_line(Session& session, const Timings& timings) {
  std::string line = fmt::format("prompt {} tokens, {:.1f}/s", timings.prompt_tokens,
                                 timings.prompt_tokens_per_s());
  const double speed = timings.generation_tokens_per_s();
  line += fmt::format("; generated {}", timings.generated_tokens);
  if (speed <= 0) return line;
  const double read = timings.read_bytes_per_s(session.bytes_per_token());
  const double most = session.read_bandwidth();
  line += fmt::format(
      ", {:.1f}/s: {:.2f} GB/s of weights, {:.0f} % of the {:.2f} GB/s that {} thread{} read here",
      speed, read / 1e9, 100 * read / most, most / 1e9, session.threads(),
      session.threads() == 1 ? "" : "s");
  if (session.ranks() > 1) {
    const RankMeters meters(session, timings);
    line += fmt::format("; {} ranks: {:.1f} KB told per token, {:.0f} % of the time waiting",
                        session.ranks(), meters.bytes_per_token / 1e3, 100 * meters.waiting);
  }
  return line;
}

std::string load_line(Session& session) {
  const LoadTimes times = load_times_of(session.rank_reports());
  const double most = session.raw_read_speed();
  const char* plural = session.threads() == 1 ? "" : "s";
  return fmt::format(
      "loaded {:.2f} GB in {:.2f} s: {:.2f} GB/s, {:.0f} % of the {:.2f} GB/s that {} thread{} "
      "read{} of these files; {:.0f} % of the time packing",
      static_cast<double>(times.file_bytes) / 1e9, times.seconds, times.bytes_per_s() / 1e9,
      100 * times.bytes_per_s() / most, most / 1e9, session.threads(), plural,
      session.threads() == 1 ? "s" : "", 100 * times.packing_share);
}

nlohmann::ordered_json load_json(const Session& session) {
  const LoadTimes times = load_times_of(session.rank_reports());
  return {{"load_bytes", times.file_bytes},
          {"load_ms", times.seconds * 1e3},
          {"load_packing_share", times.packing_share}};
}

nlohmann::ordered_json timings_json(const Session& session, const Timings& timings) {
  const RankMeters meters(session, timings);
  return {{"prompt_n", timings.prompt_tokens},
          {"prompt_ms", timings.prompt_s * 1e3},
          {"prompt_per_second", timings.prompt_tokens_per_s()},
          {"cached_n", timings.cached_tokens},
          {"predicted_n", timings.generated_tokens},
          {"predicted_ms", timings.generation_s * 1e3},
          {"predicted_per_second", timings.generation_tokens_per_s()},
          {"bytes_per_token", session.bytes_per_token()},
          {"read_gbs", timings.read_bytes_per_s(session.bytes_per_token()) / 1e9},
          {"ranks", session.ranks()},
          {"told_bytes_per_token", meters.bytes_per_token},
          {"waiting_share", meters.waiting}};
}

}  // namespace colonnade::cli
