#include "colonnade/api/plan.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/text_file.h"
#include "colonnade/comm/shared_segment.h"
#include "colonnade/engine/sampler.h"
#include "colonnade/engine/step.h"
#include "colonnade/models/decoder.h"
#include "colonnade/models/loader.h"

namespace colonnade {
namespace {

/// The model as one rank declares it.
struct Declaration {
  Declaration(const TensorSource& source, const DecoderConfig& config, Cut cut)
      : params(source, std::move(cut)), decoder(params, config) {}

  ParamSet params;
  Decoder decoder;
};

using Declarations = std::vector<std::unique_ptr<Declaration>>;  // [N]

/// "blk.12.attn_q.weight" is matrix "attn_q" of layer 12; the ends have layer -1.
struct MatrixName {
  int64_t layer = -1;
  std::string matrix;
  int64_t expert = 0;  // "blk.12.ffn_up.3.weight"

  explicit MatrixName(const std::string& name) {
    const std::vector<std::string_view> parts = split(name, '.');
    const bool in_layer = parts.size() > 2 && parts[0] == "blk";
    matrix = parts[in_layer ? 2 : 0];
    if (in_layer) layer = parse_integer(parts[1]).value_or(-1);
    if (in_layer && parts.size() > 3) expert = parse_integer(parts[3]).value_or(0);
  }
};

/// Matrix `index` of all ranks' declarations.
MatrixCut cut_of(const Declarations& all, size_t index) {
  const MatrixParam& first = all[0]->params.matrices()[index];
  const bool cuts_cols = first.leaf.kind != LeafRule::ordinary;
  MatrixCut cut{MatrixName(first.name).matrix, first.rows, first.cols};
  cut.unit = first.unit;
  if (cut.unit > 0) cut.side = cuts_cols ? CutSide::cols : CutSide::rows;
  for (const auto& rank : all) {
    const MatrixParam& param = rank->params.matrices()[index];
    if (param.row_range.size() < param.rows) cut.side = CutSide::rows;
    cut.parts.push_back(cuts_cols ? param.col_range : param.row_range);
  }
  return cut;
}

/// Rows that feed a matrix's columns are cut in its units; those of keys and values in heads.
void give_units_to_rows(std::vector<MatrixCut>& layer, int64_t head_dim) {
  for (MatrixCut& rows : layer) {
    if (rows.side != CutSide::rows || rows.unit > 0) continue;
    const auto fed = std::find_if(layer.begin(), layer.end(), [&](const MatrixCut& m) {
      return m.side == CutSide::cols && m.cols == rows.rows && m.parts == rows.parts;
    });
    rows.unit = fed == layer.end() ? head_dim : fed->unit;
  }
}

void cut_matrices(const Declarations& all, ModelPlan& plan) {
  std::map<int64_t, std::vector<MatrixCut>> layers;
  for (size_t i = 0; i < all[0]->params.matrices().size(); ++i) {
    const MatrixName name(all[0]->params.matrices()[i].name);
    if (name.expert > 0) continue;  // cut as the first
    const int64_t layer = name.layer;
    (layer < 0 ? plan.ends : layers[layer]).push_back(cut_of(all, i));
  }
  for (auto& [layer, matrices] : layers) {
    give_units_to_rows(matrices, plan.config.head_dim);
    const auto same =
        std::find_if(plan.layers.begin(), plan.layers.end(),
                     [&matrices = matrices](const LayerCut& l) { return l.matrices == matrices; });
    if (same != plan.layers.end()) {
      same->layers.push_back(layer);
    } else {
      plan.layers.push_back({{layer}, std::move(matrices)});
    }
  }
}

void count_weights(const Declaration& declaration, RankPlan& rank) {
  for (const MatrixParam& param : declaration.params.matrices()) {
    const int64_t bytes = packed_weight_bytes(declaration.params, param);
    rank.memory.weight_bytes += bytes;
    if (param.name == "token_embd.weight" && !declaration.decoder.tied()) continue;
    rank.bytes_per_token += used_of(param, bytes);
    rank.multiply_adds += used_of(param, param.row_range.size() * param.col_range.size());
  }
  for (const VectorParam& param : declaration.params.vectors())
    rank.memory.weight_bytes += param.range.size() * size_of(DType::f32);
}

int64_t context_of(const PlanRequest& request, const DecoderConfig& config) {
  return request.context > 0 ? request.context : default_context(config);
}

DType cache_of(const PlanRequest& request) {
  return request.cache.value_or(default_cache(request.precision));
}

KvLayout layout_of(const DecoderConfig& config, const RankPlan& rank, const PlanRequest& request) {
  return {config.layers, rank.kv_heads.size(), config.head_dim, cache_of(request)};
}

RankPlan rank_of(const Declaration& declaration, const PlanRequest& request) {
  RankPlan rank;
  const DecoderConfig& config = declaration.decoder.config();
  rank.heads = declaration.decoder.heads().heads;
  rank.kv_heads = declaration.decoder.heads().kv_heads;
  rank.vocabulary = declaration.params.matrices().front().row_range;
  for (const MatrixParam& param : declaration.params.matrices()) {
    if (param.leaf.kind == LeafRule::sharded_to_all)
      rank.hidden = std::max(rank.hidden, param.col_range.size());
  }
  rank.cache_bytes_per_position = layout_of(config, rank, request).page_bytes() / kPagePositions;
  count_weights(declaration, rank);
  rank.memory = rank_memory(config, rank, request);
  return rank;
}

/// A token's step as the first rank tells it, when the context is full.
int64_t step_bytes(const PlanRequest& request, const DecoderConfig& config) {
  const int64_t pages = (context_of(request, config) + kPagePositions - 1) / kPagePositions;
  Step step;
  step.tokens.resize(1);
  step.sequences.push_back({1, 0, std::vector<int32_t>(static_cast<size_t>(pages))});
  step.rows.resize(1);
  std::vector<std::byte> bytes;
  write_step(step, bytes);
  return static_cast<int64_t>(bytes.size());
}

/// What a rank with `rows` of the vocabulary says of its logits at most.
int64_t summary_bytes(int64_t rows) {
  const auto blocks = static_cast<size_t>((rows + kVocabularyBlock - 1) / kVocabularyBlock);
  ShardSummary summary;
  summary.block_max.resize(blocks);
  summary.block_sum.resize(blocks);
  summary.candidates.resize(kFirstCandidates);
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  write_summary(summary, writer);
  return static_cast<int64_t>(bytes.size());
}

/// A sharded-to-all product adds up D integers and the count of bad leaves.
std::vector<Exchange> exchanges_of(const Declaration& declaration, const PlanRequest& request,
                                   const std::vector<RankPlan>& ranks) {
  if (ranks.size() == 1) return {};
  int64_t sums = 0, most_rows = 0;
  for (const MatrixParam& param : declaration.params.matrices()) {
    const bool first = MatrixName(param.name).expert == 0;  // experts are one sum
    sums += param.leaf.kind != LeafRule::ordinary && first ? 1 : 0;
  }
  for (const RankPlan& rank : ranks) most_rows = std::max(most_rows, rank.vocabulary.size());
  const DecoderConfig& config = declaration.decoder.config();
  return {{Exchange::tell, "the next step", 1, step_bytes(request, config)},
          {Exchange::sum, "embedding", 1, config.embedding_width() * size_of(DType::f32)},
          {Exchange::sum, "sums of layers", sums, (config.dim + 1) * size_of(DType::i64)},
          {Exchange::gather, "summaries of logits", 1, summary_bytes(most_rows)}};
}

}  // namespace

const MatrixCut& LayerCut::matrix(const std::string& name) const {
  for (const MatrixCut& cut : matrices) {
    if (cut.name == name) return cut;
  }
  throw Error(concat("plan: expected a matrix '", name, "' in every layer, got none"));
}

int64_t ModelPlan::exchanges_per_token() const {
  int64_t count = 0;
  for (const Exchange& exchange : exchanges) count += exchange.per_token;
  return count;
}

int64_t ModelPlan::exchanged_bytes_per_token() const {
  int64_t bytes = 0;
  for (const Exchange& exchange : exchanges) bytes += exchange.per_token * exchange.bytes;
  return bytes;
}

void check_request(const TensorSource& source, const DecoderConfig& config,
                   const PlanRequest& request) {
  CN_CHECK(request.context >= 0 && request.context <= config.context, "context: expected at most ",
           config.context, " positions (the model's), got ", request.context);
  CN_CHECK(request.chunk >= 1, "chunk: expected at least 1 token, got ", request.chunk);
  const Declaration whole(source, config, {});
  check_useful_ranks(whole.params, {0, request.ranks, request.shares});
}

ModelPlan plan_model(const TensorSource& source, const DecoderConfig& config,
                     const PlanRequest& request) {
  check_request(source, config, request);
  ModelPlan plan;
  plan.config = config;
  plan.context = context_of(request, config);
  plan.chunk = request.chunk;
  plan.cache = cache_of(request);
  Declarations all;
  for (int r = 0; r < request.ranks; ++r)
    all.push_back(
        std::make_unique<Declaration>(source, config, Cut{r, request.ranks, request.shares}));
  check_params(all[0]->params, all[0]->decoder.ignorable());
  plan.useful = largest_useful_ranks(all[0]->params);
  cut_matrices(all, plan);
  for (const auto& declaration : all) plan.ranks.push_back(rank_of(*declaration, request));
  plan.exchanges = exchanges_of(*all[0], request, plan.ranks);
  return plan;
}

MemoryPlan rank_memory(const DecoderConfig& config, const RankPlan& rank,
                       const PlanRequest& request) {
  DecoderConfig share = config;  // a model that is no more than this rank's share
  share.heads = static_cast<int>(rank.heads.size());
  share.kv_heads = static_cast<int>(rank.kv_heads.size());
  share.ffn_dim = rank.hidden;
  const int64_t context = context_of(request, config);
  MemoryPlan memory = plan_memory(share, rank.memory.weight_bytes, layout_of(config, rank, request),
                                  context, request.chunk);
  if (request.ranks > 1)
    memory.scratch_bytes += kSlots * largest_part_bytes(config, std::min(request.chunk, context));
  return memory;
}

RankPlan plan_rank(const TensorSource& source, const DecoderConfig& config,
                   const PlanRequest& request, int rank) {
  return rank_of(Declaration(source, config, {rank, request.ranks, request.shares}), request);
}

}  // namespace colonnade
