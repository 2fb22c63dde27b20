#include "colonnade/text/vocabulary.h"

#include <cmath>
#include <limits>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

void check_types(const Vocabulary& v) {
  if (v.token_types.empty()) return;
  CN_CHECK(v.token_types.size() == v.tokens.size(),
           "tokenizer: tokenizer.ggml.token_type: expected ", v.tokens.size(),
           " entries, one per token, got ", v.token_types.size());
  for (size_t i = 0; i < v.token_types.size(); ++i) {
    CN_CHECK(v.token_types[i] >= 1 && v.token_types[i] <= 6,
             "tokenizer: tokenizer.ggml.token_type[", i, "]: expected 1..6, got ",
             v.token_types[i]);
  }
}

void check_scores(const Vocabulary& v) {
  if (v.model != "llama" || v.rules) return;
  CN_CHECK(v.scores.size() == v.tokens.size(), "tokenizer: tokenizer.ggml.scores: expected ",
           v.tokens.size(), " entries, one per token, got ", v.scores.size());
  for (size_t i = 0; i < v.scores.size(); ++i) {
    CN_CHECK(!std::isnan(v.scores[i]), "tokenizer: tokenizer.ggml.scores[", i,
             "]: expected a number, got NaN");
  }
}

void check_ids(const Vocabulary& v) {
  const std::pair<const char*, int32_t> ids[] = {
      {"bos", v.bos}, {"eos", v.eos}, {"eot", v.eot}, {"padding", v.pad}, {"unknown", v.unk}};
  for (const auto& [name, id] : ids) {
    CN_CHECK(id >= -1 && id < static_cast<int64_t>(v.tokens.size()), "tokenizer: tokenizer.ggml.",
             name, "_token_id: expected an id below ", v.tokens.size(),
             ", the number of tokens, got ", id);
  }
  for (const int32_t id : v.end_tokens) {
    CN_CHECK(id >= 0 && id < static_cast<int64_t>(v.tokens.size()),
             "tokenizer: tokens that end a generation: expected an id below ", v.tokens.size(),
             ", the number of tokens, got ", id);
  }
}

}  // namespace

void check_vocabulary(const Vocabulary& v) {
  CN_CHECK(
      v.model == "gpt2" || v.model == "llama", "tokenizer: tokenizer.ggml.model is '", v.model,
      "', which is not supported; supported: gpt2 (byte-level BPE), llama (SentencePiece BPE)");
  CN_CHECK(!v.tokens.empty() && v.tokens.size() <= std::numeric_limits<int32_t>::max(),
           "tokenizer: tokenizer.ggml.tokens: expected 1 to 2^31 - 1 tokens, got ",
           v.tokens.size());
  for (size_t i = 0; i < v.tokens.size(); ++i) {
    const int64_t bad = first_invalid_utf8(v.tokens[i]);
    CN_CHECK(bad < 0, "tokenizer: tokenizer.ggml.tokens[", i,
             "]: expected UTF-8, got a bad byte at offset ", bad, " of the token");
  }
  check_types(v);
  check_scores(v);
  check_ids(v);
}

}  // namespace colonnade::text
