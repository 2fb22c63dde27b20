#include "colonnade/nn/embedding.h"

namespace colonnade {

TokenEmbedding::TokenEmbedding(ParamSet& params, int64_t vocab, int64_t dim)
    : tied_(!params.has("output.weight")) {
  const Range rows = params.cut().part(vocab, kVocabularyUnit);
  MatrixParam param{.name = "token_embd.weight",
                    .rows = vocab,
                    .cols = dim,
                    .row_range = rows,
                    .col_range = {0, dim},
                    .unit = kVocabularyUnit,
                    .slot = &embedding_};
  params.add(param);
  if (tied_) return;
  param.name = "output.weight";
  param.slot = &head_;
  params.add(param);
}

}  // namespace colonnade
