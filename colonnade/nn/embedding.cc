#include "colonnade/nn/embedding.h"

#include "colonnade/base/error.h"
#include "colonnade/ops/embed.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {

TokenEmbedding::TokenEmbedding(ParamSet& params, int64_t vocab, int64_t dim,
                               std::optional<bool> tied)
    : vocab_(vocab),
      rows_(params.cut().part(vocab, kVocabularyUnit)),
      tied_(tied.value_or(!params.has("output.weight"))) {
  MatrixParam param{.name = "token_embd.weight",
                    .rows = vocab,
                    .cols = dim,
                    .row_range = rows_,
                    .col_range = {0, dim},
                    .unit = kVocabularyUnit,
                    .slot = &embedding_};
  params.add(param);
  params.add(VectorParam{.name = "output.bias", .size = vocab, .range = rows_, .slot = &bias_},
             Presence::optional);
  if (tied_) return;
  param.name = "output.weight";
  param.slot = &head_;
  params.add(param);
}

Tensor TokenEmbedding::embed(Ctx& cx, const Tensor& ids) const {
  for (int64_t i = 0; i < ids.elements(); ++i) {
    const int32_t id = ids.i32()[i];
    if (0 <= id && id < vocab_) continue;
    throw ModelError(concat("embed: token ", i, ": expected 0 to ", vocab_ - 1, ", got ", id), i);
  }
  return embed_over_ranks(cx, *embedding_, rows_.begin, ids);
}

PositionEmbedding::PositionEmbedding(ParamSet& params, int64_t positions, int64_t dim, int offset)
    : offset_(offset) {
  const int64_t rows = positions + offset;
  params.add(MatrixParam{.name = "position_embd.weight",
                         .rows = rows,
                         .cols = dim,
                         .row_range = {0, rows},
                         .col_range = {0, dim},
                         .slot = &table_});
}

Tensor PositionEmbedding::operator()(Ctx& cx, const KvStep& step) const {
  int64_t tokens = 0;
  for (const SequenceSpan& sequence : step.sequences) tokens += sequence.tokens;
  const Tensor positions = cx.workspace.tensor({tokens, 1}, DType::i32);
  for (const SequenceSpan& sequence : step.sequences) {
    const int64_t end = sequence.first_position + sequence.tokens;
    CN_CHECK(end + offset_ <= table_->rows(), "positions: expected at most ",
             table_->rows() - offset_, ", got ", end);
    int32_t* row = positions.i32() + sequence.first_row;
    for (int64_t p = sequence.first_position; p < end; ++p) *row++ = static_cast<int32_t>(p);
  }
  return colonnade::embed(cx, *table_, -offset_, positions);
}

}  // namespace colonnade
