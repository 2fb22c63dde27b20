// The tokenizer's data out of the files of a Hugging Face folder.
#pragma once

#include "colonnade/text/tokenizer_document.h"
#include "colonnade/text/vocabulary.h"

namespace colonnade::text {

/// What lies beside a model. `tokenizer`, or `vocab` and `merges`, must be there.
struct TokenizerFiles {
  FileText tokenizer;           ///< tokenizer.json
  FileText vocab;               ///< vocab.json and merges.txt: byte-level BPE as GPT-2's,
  FileText merges;              ///< read if there is no tokenizer.json, as for OPT
  FileText tokenizer_config;    ///< tokenizer_config.json
  FileText special_tokens_map;  ///< special_tokens_map.json
  FileText generation_config;   ///< generation_config.json
  FileText config;              ///< config.json
  int64_t embedding_rows = 0;   ///< where config.json does not say vocab_size; 0: one per token
};

/// The vocabulary that they describe, padded with unused tokens up to config.json's vocab_size, so
/// that every row of the embedding is a token. Throws Error that names file and field if something
/// is wrong or not supported; what has a meaning for the ids is never passed over. Source: Hugging
/// Face `tokenizers` and `transformers`, the serialized form of a tokenizer.
Vocabulary read_tokenizer_json(const TokenizerFiles& files);

}  // namespace colonnade::text
