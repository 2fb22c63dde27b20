// The two large tables of a tokenizer.json, vocabulary and merges, apart from the rest of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/vocabulary.h"

namespace colonnade::text {

/// The text of one file; empty where there is no such file.
struct FileText {
  std::string_view text;
  std::string name;  ///< for messages: "MODEL/tokenizer.json"
};

struct TokenizerDocument {
  std::vector<std::string> tokens;  ///< model.vocab by id; empty: an id that is free
  std::vector<TokenMerge> merges;   ///< model.merges, best first
  std::string rest;                 ///< JSON: all but these two
};

/// Reads a tokenizer.json. Throws Error: it is no JSON, nests too deep, the model is not BPE, ids
/// are no ids or lie far apart, a merge is not one of tokens to a token. Memory is proportional to
/// the text.
TokenizerDocument read_tokenizer_document(const FileText& file);

/// Reads vocab.json and merges.txt, which hold the same two tables; `rest` stays empty. Throws
/// Error likewise.
TokenizerDocument read_vocabulary_and_merges(const FileText& vocab, const FileText& merges);

}  // namespace colonnade::text
