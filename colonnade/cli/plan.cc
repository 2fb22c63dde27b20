// colonnade plan: what every rank would hold, read and send, from the model's header alone.
#include "colonnade/api/plan.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/models/family.h"

namespace colonnade::cli {
namespace {

using nlohmann::ordered_json;

/// A model's header.
struct Header {
  GgufFile file;
  GgufSource source;
  DecoderConfig config;

  explicit Header(const std::string& path)
      : file(path),
        source((check_architecture(file.metadata()), file)),
        config(read_config(file.metadata(), source)) {}
};

PlanRequest request_of(const PlanOptions& options, const DecoderConfig& config) {
  PlanRequest request;
  request.ranks = options.cut.ranks;
  request.shares = options.cut.shares;
  if (options.model.context)
    request.context = *options.model.context > 0 ? *options.model.context : config.context;
  request.chunk = options.model.chunk;
  request.precision = options.model.precision;
  request.cache = options.model.cache;
  return request;
}

/// Throws UsageError that names the flag which asks for what the model cannot give.
void check_flags(const Header& header, const PlanRequest& request) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFlagOf = {
      {{"ranks", "--tp"}, {"shares", "--shares"}, {"context", "--ctx-size"}, {"chunk", "--chunk"}}};
  try {
    check_request(header.source, header.config, request);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    for (const auto& [field, flag] : kFlagOf) {
      if (message.starts_with(field)) throw UsageError(concat(flag, message.substr(field.size())));
    }
    throw;
  }
}

std::string bytes_text(int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1e6) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 1e9) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.2f} GB", value / 1e9);
}

/// "5: 0-4"
std::string range_text(Range range) {
  if (range.empty()) return "0";
  if (range.size() == 1) return fmt::format("1: {}", range.begin);
  return fmt::format("{}: {}-{}", range.size(), range.begin, range.end - 1);
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

std::string head_text(const ModelPlan& plan, const PlanOptions& options) {
  const DecoderConfig& c = plan.config;
  std::string shares;
  for (const double share : options.cut.shares)
    shares += fmt::format("{}{}", shares.empty() ? "" : ",", share);
  return fmt::format(
      "{}: {} layers, dim {}, {} query and {} KV heads of {}, MLP {}, vocabulary {}\n"
      "{} rank{}, {} shares; context {}, KV cache {}, chunk {}\n\n",
      c.name.empty() ? c.architecture : c.name, c.layers, c.dim, c.heads, c.kv_heads, c.head_dim,
      c.ffn_dim, c.vocab, plan.size(), plan.size() == 1 ? "" : "s",
      shares.empty() ? "equal" : shares, plan.context, name_of(plan.cache), plan.chunk);
}

std::string ranks_text(const ModelPlan& plan) {
  std::vector<Row> rows = {{"rank", "query heads", "KV heads"}};
  for (const LayerCut& layer : plan.layers)
    rows[0].push_back(plan.layers.size() == 1 ? "MLP" : fmt::format("MLP of {}", layer.layers[0]));
  for (const char* title :
       {"vocabulary", "weights", "KV cache", "scratch", "total", "multiply-adds"})
    rows[0].emplace_back(title);
  for (size_t r = 0; r < plan.ranks.size(); ++r) {
    const RankPlan& rank = plan.ranks[r];
    Row row = {std::to_string(r), range_text(rank.heads), range_text(rank.kv_heads)};
    for (const LayerCut& layer : plan.layers)
      row.push_back(range_text(layer.matrix("ffn_down").parts[r]));
    row.push_back(range_text(rank.vocabulary));
    for (const int64_t bytes : {rank.memory.weight_bytes, rank.memory.cache_bytes,
                                rank.memory.scratch_bytes, rank.memory.total()})
      row.push_back(bytes_text(bytes));
    row.push_back(fmt::format("{:.1f} M", static_cast<double>(rank.multiply_adds) / 1e6));
    rows.push_back(row);
  }
  return table_text(rows);
}

std::string exchanges_text(const ModelPlan& plan) {
  if (plan.size() == 1) return "\none rank exchanges nothing\n";
  std::string page =
      fmt::format("\nfor each token every rank gives {} to every other, in {} exchanges\n",
                  bytes_text(plan.exchanged_bytes_per_token()), plan.exchanges_per_token());
  for (const Exchange& exchange : plan.exchanges)
    page += fmt::format("  {:>4} x {:>7} bytes  {}\n", exchange.per_token, exchange.bytes,
                        exchange.what);
  return page;
}

std::string useful_text(const ModelPlan& plan) {
  return fmt::format("\nmore ranks help up to {} ({}: {} in units of {})\n", plan.useful.ranks,
                     plan.useful.parameter, plan.useful.total, plan.useful.unit);
}

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

ordered_json plan_json(const ModelPlan& plan, const PlanOptions& options) {
  const DecoderConfig& c = plan.config;
  ordered_json layers = ordered_json::array();
  for (const LayerCut& layer : plan.layers)
    layers.push_back({{"layers", layer.layers}, {"matrices", matrices_json(layer.matrices)}});
  ordered_json ranks = ordered_json::array();
  for (size_t r = 0; r < plan.ranks.size(); ++r) ranks.push_back(rank_json(plan, r));
  ordered_json exchanges = ordered_json::array();
  for (const Exchange& exchange : plan.exchanges)
    exchanges.push_back(
        {{"what", exchange.what}, {"per_token", exchange.per_token}, {"bytes", exchange.bytes}});
  return {{"model", options.model.path},
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
          {"shares", options.cut.shares},
          {"context", plan.context},
          {"chunk", plan.chunk},
          {"cache_type", name_of(plan.cache)},
          {"ranks", std::move(ranks)},
          {"cuts", std::move(layers)},
          {"ends", matrices_json(plan.ends)},
          {"exchanges", std::move(exchanges)},
          {"exchanges_per_token", plan.exchanges_per_token()},
          {"exchanged_bytes_per_token", plan.exchanged_bytes_per_token()},
          {"largest_useful_ranks",
           {{"ranks", plan.useful.ranks},
            {"parameter", plan.useful.parameter},
            {"total", plan.useful.total},
            {"unit", plan.useful.unit}}}};
}

}  // namespace

int plan(const PlanOptions& options) {
  const Header header(options.model.path);
  const PlanRequest request = request_of(options, header.config);
  check_flags(header, request);
  const ModelPlan plan = plan_model(header.source, header.config, request);
  if (options.json) {
    print(to_page(plan_json(plan, options)) + "\n");
  } else {
    print(head_text(plan, options) + ranks_text(plan) + exchanges_text(plan) + useful_text(plan));
  }
  return kOk;
}

}  // namespace colonnade::cli
