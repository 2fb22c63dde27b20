// The JSON object of colonnade plan.
#include <nlohmann/json.hpp>

#include "colonnade/cli/plan_report.h"

namespace colonnade::cli {
namespace {

using nlohmann::ordered_json;

ordered_json range_json(Range range) { return {range.begin, range.end}; }

ordered_json matrix_json(const MatrixCut& cut) {
  constexpr const char* kSides[] = {"whole", "rows", "cols"};
  ordered_json parts = ordered_json::array();
  for (const Range part : cut.parts) parts.push_back(range_json(part));
  return {{"name", cut.name}, {"rows", cut.rows},
          {"cols", cut.cols}, {"cut", kSides[static_cast<int>(cut.side)]},
          {"unit", cut.unit}, {"parts", std::move(parts)}};
}

ordered_json matrices_json(const std::vector<MatrixCut>& cuts) {
  ordered_json all = ordered_json::array();
  for (const MatrixCut& cut : cuts) all.push_back(matrix_json(cut));
  return all;
}

ordered_json rank_json(const ModelPlan& plan, size_t r) {
  const RankPlan& rank = plan.ranks[r];
  return {{"rank", r},
          {"heads", range_json(rank.heads)},
          {"kv_heads", range_json(rank.kv_heads)},
          {"hidden", range_json(plan.layers.front().matrix("ffn_down").parts[r])},
          {"vocabulary", range_json(rank.vocabulary)},
          {"weight_bytes", rank.memory.weight_bytes},
          {"cache_bytes", rank.memory.cache_bytes},
          {"scratch_bytes", rank.memory.scratch_bytes},
          {"total_bytes", rank.memory.total()},
          {"bytes_per_token", rank.bytes_per_token},
          {"cache_bytes_per_position", rank.cache_bytes_per_position},
          {"multiply_adds_per_token", rank.multiply_adds}};
}

ordered_json memory_json(const PlanReport& report) {
  ordered_json memory = {
      {"bytes", report.memory.bytes},       {"shared", report.memory.shared},
      {"measured", report.memory_measured}, {"fits", report.fit.fits},
      {"rank_fits", report.fit.rank_fits},  {"longest_context", report.fit.longest_context},
      {"nearest_ranks", nullptr},           {"better_shares", nullptr}};
  if (report.fit.nearest_ranks > 0) memory["nearest_ranks"] = report.fit.nearest_ranks;
  if (!report.fit.better_shares.empty()) memory["better_shares"] = report.fit.better_shares;
  return memory;
}

ordered_json forecasts_json(const PlanReport& report) {
  ordered_json all = ordered_json::array();
  for (const LinkForecast& forecast : report.forecasts)
    all.push_back({{"link", forecast.link->name},
                   {"link_latency_us", forecast.link->latency_s * 1e6},
                   {"link_gbs", forecast.link->bytes_per_s / 1e9},
                   {"read_bytes_per_s", forecast.bytes_per_s},
                   {"tokens_per_s", forecast.first.tokens_per_s()},
                   {"tokens_per_s_at_context", forecast.last.tokens_per_s()},
                   {"read_ms", forecast.first.read_s * 1e3},
                   {"exchange_ms", forecast.first.exchange_s * 1e3}});
  return {{"what", "predicted from bandwidths and links, not measured by running"},
          {"bandwidth_measured", report.bandwidth_measured},
          {"links", std::move(all)}};
}

ordered_json exchanges_json(const ModelPlan& plan) {
  constexpr const char* kKinds[] = {"sum", "gather", "tell"};
  ordered_json all = ordered_json::array();
  for (const Exchange& exchange : plan.exchanges)
    all.push_back({{"what", exchange.what},
                   {"kind", kKinds[exchange.kind]},
                   {"per_token", exchange.per_token},
                   {"bytes", exchange.bytes}});
  return all;
}

}  // namespace

ordered_json plan_json(const PlanReport& report) {
  const ModelPlan& plan = report.plan;
  const DecoderConfig& c = plan.config;
  ordered_json layers = ordered_json::array();
  for (const LayerCut& layer : plan.layers)
    layers.push_back({{"layers", layer.layers}, {"matrices", matrices_json(layer.matrices)}});
  ordered_json ranks = ordered_json::array();
  for (size_t r = 0; r < plan.ranks.size(); ++r) ranks.push_back(rank_json(plan, r));
  return {{"model", report.path},
          {"name", c.name},
          {"architecture", c.architecture},
          {"layers", c.layers},
          {"dim", c.dim},
          {"heads", c.heads},
          {"kv_heads", c.kv_heads},
          {"head_dim", c.head_dim},
          {"ffn_dim", c.ffn_dim},
          {"vocab", c.vocab},
          {"tp", plan.size()},
          {"shares", report.shares},
          {"context", plan.context},
          {"chunk", plan.chunk},
          {"cache_type", name_of(plan.cache)},
          {"ranks", std::move(ranks)},
          {"memory", memory_json(report)},
          {"cuts", std::move(layers)},
          {"ends", matrices_json(plan.ends)},
          {"exchanges", exchanges_json(plan)},
          {"exchanges_per_token", plan.exchanges_per_token()},
          {"exchanged_bytes_per_token", plan.exchanged_bytes_per_token()},
          {"largest_useful_ranks",
           {{"ranks", plan.useful.ranks},
            {"parameter", plan.useful.parameter},
            {"total", plan.useful.total},
            {"unit", plan.useful.unit}}},
          {"prediction", forecasts_json(report)}};
}

}  // namespace colonnade::cli
