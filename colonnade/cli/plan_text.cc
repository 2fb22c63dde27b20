// The pages of colonnade plan.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "colonnade/cli/plan_report.h"

namespace colonnade::cli {
namespace {

/// "5: 0-4"
std::string range_text(Range range) {
  if (range.empty()) return "0";
  if (range.size() == 1) return fmt::format("1: {}", range.begin);
  return fmt::format("{}: {}-{}", range.size(), range.begin, range.end - 1);
}

/// Memory, in the units of --memory.
std::string memory_text(int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 0x1p30) return fmt::format("{:.1f} MiB", value / 0x1p20);
  return fmt::format("{:.2f} GiB", value / 0x1p30);
}

/// What travels, in the units of networks.
std::string traffic_text(int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1e6) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 1e9) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.2f} GB", value / 1e9);
}

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell, two spaces apart.
std::string table_text(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string page;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    page += line + "\n";
  }
  return page;
}

std::string name_text(const PlanReport& report) {
  const DecoderConfig& c = report.plan.config;
  return c.name.empty() ? c.architecture : c.name;
}

std::string ranks_count(int ranks) {
  return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
}

std::string shares_text(const std::vector<double>& shares) {
  return shares.empty() ? "equal" : fmt::format("{:g}", fmt::join(shares, ","));
}

std::string head_text(const PlanReport& report) {
  const ModelPlan& plan = report.plan;
  const DecoderConfig& c = plan.config;
  return fmt::format(
      "{}: {} layers, dim {}, {} query and {} KV heads of {}, MLP {}, vocabulary {}\n"
      "{}, shares {}; context {}, KV cache {}, chunk {}\n\n",
      name_text(report), c.layers, c.dim, c.heads, c.kv_heads, c.head_dim, c.ffn_dim, c.vocab,
      ranks_count(plan.size()), shares_text(report.shares), plan.context, name_of(plan.cache),
      plan.chunk);
}

/// "MLP", or "MLP, layer 3" where layers differ.
std::string layer_title(const ModelPlan& plan, const LayerCut& layer) {
  if (plan.layers.size() == 1) return "MLP";
  return fmt::format("MLP, layer {}{}", layer.layers.front(), layer.layers.size() > 1 ? ".." : "");
}

std::string ranks_text(const PlanReport& report) {
  const ModelPlan& plan = report.plan;
  Row titles = {"rank", "query heads", "KV heads"};
  for (const LayerCut& layer : plan.layers) titles.push_back(layer_title(plan, layer));
  for (const char* title :
       {"vocabulary", "weights", "KV cache", "scratch", "total", "fits", "multiply-adds"})
    titles.emplace_back(title);
  std::vector<Row> rows = {titles};
  for (size_t r = 0; r < plan.ranks.size(); ++r) {
    const RankPlan& rank = plan.ranks[r];
    Row row = {std::to_string(r), range_text(rank.heads), range_text(rank.kv_heads)};
    for (const LayerCut& layer : plan.layers)
      row.push_back(range_text(layer.matrix("ffn_down").parts[r]));
    row.push_back(range_text(rank.vocabulary));
    for (const int64_t bytes : {rank.memory.weight_bytes, rank.memory.cache_bytes,
                                rank.memory.scratch_bytes, rank.memory.total()})
      row.push_back(memory_text(bytes));
    row.emplace_back(report.fit.rank_fits[r] ? "yes" : "no");
    row.push_back(fmt::format("{:.1f} M", static_cast<double>(rank.multiply_adds) / 1e6));
    rows.push_back(row);
  }
  return table_text(rows);
}

std::string offer_text(const PlanReport& report) {
  std::vector<std::string> sizes;
  for (const int64_t bytes : report.memory.bytes) sizes.push_back(memory_text(bytes));
  std::string text = fmt::format("{}", fmt::join(sizes, ", "));
  if (report.memory.shared) return text + " of this machine, for all ranks together";
  if (report.memory_measured) return text + " on each machine, if they are like this one";
  return text + (sizes.size() > 1 ? " in order of ranks" : " for each rank");
}

/// What would fit where this does not.
std::string advice_text(const PlanReport& report) {
  const PlanFit& fit = report.fit;
  std::vector<std::string> ways;
  if (!fit.better_shares.empty())
    ways.push_back(fmt::format("--shares {}", shares_text(fit.better_shares)));
  if (fit.longest_context > 0) ways.push_back(fmt::format("-c {}", fit.longest_context));
  if (fit.nearest_ranks > 0) ways.push_back(fmt::format("--tp {}", fit.nearest_ranks));
  if (ways.empty()) return "no number of ranks and no context would fit";
  return fmt::format("{} would fit", fmt::join(ways, ", or "));
}

std::string fit_text(const PlanReport& report) {
  std::string page = fmt::format("\nmemory: {}: ", offer_text(report));
  if (!report.fit.fits) return page + "does not fit; " + advice_text(report) + "\n";
  const int64_t longest = report.fit.longest_context;
  return page +
         fmt::format("fits, with a context of up to {}{}\n", longest,
                     longest == report.plan.config.context ? ", all that the model has" : "");
}

std::string exchanges_text(const PlanReport& report) {
  const ModelPlan& plan = report.plan;
  if (plan.size() == 1) return "exchanges: none\n";
  std::string page =
      fmt::format("exchanges for each token: {}, in which every rank gives {} to every other\n",
                  plan.exchanges_per_token(), traffic_text(plan.exchanged_bytes_per_token()));
  for (const Exchange& exchange : plan.exchanges)
    page += fmt::format("  {:>4} x {:>7} bytes  {}\n", exchange.per_token, exchange.bytes,
                        exchange.what);
  return page;
}

std::string useful_text(const PlanReport& report) {
  const UsefulRanks& useful = report.plan.useful;
  return fmt::format("largest useful number of ranks: {} ({}: {} in units of {})\n", useful.ranks,
                     useful.parameter, useful.total, useful.unit);
}

std::string bandwidth_text(const std::vector<double>& bytes_per_s) {
  bool same = true;
  std::vector<std::string> all;
  for (const double each : bytes_per_s) {
    same = same && each == bytes_per_s.front();
    all.push_back(fmt::format("{:.1f}", each / 1e9));
  }
  return same ? all.front() : fmt::format("{}", fmt::join(all, ", "));
}

std::string forecast_text(const PlanReport& report) {
  std::vector<Row> rows = {{"link", "GB/s of a rank", "tokens/s", "at the end of the context",
                            "of a token's time between ranks"}};
  for (const LinkForecast& forecast : report.forecasts) {
    const Prediction& p = forecast.first;
    rows.push_back({std::string(forecast.link->name), bandwidth_text(forecast.bytes_per_s),
                    fmt::format("{:.1f}", p.tokens_per_s()),
                    fmt::format("{:.1f}", forecast.last.tokens_per_s()),
                    fmt::format("{:.2f} ms, {:.0f} %", p.exchange_s * 1e3,
                                100 * p.exchange_s * p.tokens_per_s())});
  }
  const char* source = report.bandwidth_measured ? "measured here" : "given";
  return fmt::format(
      "\npredicted, not run: decoding speed from bandwidth ({}) and the usual figures of links\n{}",
      source, table_text(rows));
}

/// "5 + 4"; of many ranks "8 each" or "1 to 2 each".
template <typename F>
std::string sum_text(const ModelPlan& plan, const F& part) {
  std::vector<int64_t> parts;
  for (size_t r = 0; r < plan.ranks.size(); ++r) parts.push_back(part(r));
  if (parts.size() <= 4) return fmt::format("{}", fmt::join(parts, " + "));
  const auto [least, most] = std::minmax_element(parts.begin(), parts.end());
  if (*least == *most) return fmt::format("{} each", *most);
  return fmt::format("{} to {} each", *least, *most);
}

}  // namespace

std::string plan_page(const PlanReport& report) {
  return head_text(report) + ranks_text(report) + fit_text(report) + exchanges_text(report) +
         useful_text(report) + forecast_text(report);
}

std::string brief_plan(const PlanReport& report) {
  const ModelPlan& plan = report.plan;
  const std::vector<Range>& hidden = plan.layers.front().matrix("ffn_down").parts;
  int64_t most = 0, weights = 0;
  for (const RankPlan& rank : plan.ranks) {
    most = std::max(most, rank.memory.total());
    weights = std::max(weights, rank.memory.weight_bytes);
  }
  return fmt::format(
      "{} on {}: query heads {}, MLP {}, vocabulary {}\n"
      "a rank takes up to {} ({} of weights); {}\n"
      "a token takes {} exchanges of {} in all; up to {} ranks help\n",
      name_text(report), ranks_count(plan.size()),
      sum_text(plan, [&](size_t r) { return plan.ranks[r].heads.size(); }),
      sum_text(plan, [&](size_t r) { return hidden[r].size(); }),
      sum_text(plan, [&](size_t r) { return plan.ranks[r].vocabulary.size(); }), memory_text(most),
      memory_text(weights), report.fit.fits ? "all fit" : "they do not fit: " + advice_text(report),
      plan.exchanges_per_token(), traffic_text(plan.exchanged_bytes_per_token()),
      plan.useful.ranks);
}

}  // namespace colonnade::cli
