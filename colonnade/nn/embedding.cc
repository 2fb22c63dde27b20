#include "colonnade/nn/embedding.h"

#include "colonnade/base/error.h"

namespace colonnade {

TokenEmbedding::TokenEmbedding(ParamSet& params, int64_t vocab, int64_t dim)
    : vocab_(vocab),
      rows_(params.cut().part(vocab, kVocabularyUnit)),
      tied_(!params.has("output.weight")) {
  MatrixParam param{.name = "token_embd.weight",
                    .rows = vocab,
                    .cols = dim,
                    .row_range = rows_,
                    .col_range = {0, dim},
                    .unit = kVocabularyUnit,
                    .slot = &embedding_};
  params.add(param);
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

}  // namespace colonnade
