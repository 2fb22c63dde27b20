#include "colonnade/text/tokenizer_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"

namespace colonnade::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TokenizerDocument read(std::string_view text) { return read_tokenizer_document({text, "t.json"}); }

// What stands around tables.
std::string file_with(const std::string& model) {
  return R"({"version":"1.0","model":)" + model + "}";
}

std::vector<std::vector<int32_t>> triples(const TokenizerDocument& document) {
  std::vector<std::vector<int32_t>> out;
  for (const TokenMerge& m : document.merges) out.push_back({m.left, m.right, m.token});
  return out;
}

template <typename Read>
void expect_refusal(Read read, const std::string& text, const std::string& message) {
  try {
    read(text);
    ADD_FAILURE() << text.substr(0, 200) << ": no error that says " << message;
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr(message)) << text.substr(0, 200);
  }
}

TEST(TokenizerDocument, TheTablesAreReadAndTheRestIsKept) {
  const TokenizerDocument document = read(file_with(
      R"({"type":"BPE","vocab":{"b":1,"a":0,"ab":3,"\u00e9\n":4},"merges":["a b"],"unk_token":null})"));
  EXPECT_THAT(document.tokens, ElementsAre("a", "b", "", "ab", "\u00E9\n"));
  EXPECT_THAT(triples(document), ElementsAre(ElementsAre(0, 1, 3)));
  EXPECT_EQ(nlohmann::json::parse(document.rest),
            nlohmann::json::parse(R"({"version":"1.0","model":{"type":"BPE","unk_token":null}})"));
}

TEST(TokenizerDocument, MergesMayBePairsWithSpacesInThem) {
  const TokenizerDocument document =
      read(file_with(R"({"vocab":{" ":0,"a":1," a":2},"merges":[[" ","a"]]})"));
  EXPECT_THAT(triples(document), ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(TokenizerDocument, WhatIsWrongIsNamedWithItsPlace) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "t.json: expected JSON"},
      {"[]", "t.json: expected a JSON object"},
      {"{", "line 1"},
      {"{\"a\":1}{", "line 1"},
      {"<html>", "t.json: expected JSON"},
      {"version https://git-lfs.github.com/spec/v1", "t.json: expected JSON"},
      {"{\"a\":\"\xFF\"}", "t.json: "},
      {"{\"a\":\"\\ud800\"}", "t.json: "},
      {std::string(100'000, '['), "at most 64 levels"},
      {"{\"a\":" + std::string(100'000, '['), "at most 64 levels"},
      {"{}", "field 'model' is missing"},
      {R"({"model":{"vocab":{"a":0},"merges":[]},"model":{}})", "'model' stands twice"},
      {R"({"model":[]})", "t.json: model: expected an object"},
      {file_with(R"({"type":"Unigram","vocab":[["a",0]]})"),
       "model.type 'Unigram' is not supported"},
      {file_with(R"({"vocab":[],"merges":[]})"), "model.vocab: expected an object"},
      {file_with(R"({"merges":[]})"), "model: field 'vocab' is missing"},
      {file_with(R"({"vocab":{"a":0}})"), "model: field 'merges' is missing"},
      {file_with(R"({"vocab":{},"merges":[]})"), "model.vocab: expected at least one token"},
      {file_with(R"({"vocab":{"a":-1},"merges":[]})"),
       "token 'a': expected an id from 0 to 65536, got '-1'"},
      {file_with(R"({"vocab":{"a":2147483647},"merges":[]})"), "expected an id from 0 to 65536"},
      {file_with(R"({"vocab":{"a":1.5},"merges":[]})"), "got '1.5'"},
      {file_with(R"({"vocab":{"a":"0"},"merges":[]})"), "expected an id"},
      {file_with(R"({"vocab":{"a":0,"b":0},"merges":[]})"), "tokens 'a' and 'b' both have id 0"},
      {file_with(R"({"vocab":{"a":0,"a":1},"merges":[]})"), "tokens 0 and 1 are both 'a'"},
      {file_with(R"({"vocab":{"a":0},"merges":{}})"), "model.merges: expected a list"},
      {file_with(R"({"vocab":{"a":0},"merges":[1]})"), "model.merges[0]: expected \"left right\""},
      {file_with(R"({"vocab":{"a":0},"merges":[["a"]]})"),
       "model.merges[0]: expected \"left right\""},
      {file_with(R"({"vocab":{"a":0},"merges":[["a",1]]})"), "model.merges[0]: expected"},
      {file_with(R"({"vocab":{"a":0},"merges":["aa"]})"), "two tokens and one space"},
      {file_with(R"({"vocab":{"a":0},"merges":["a a a"]})"), "two tokens and one space"},
      {file_with(R"({"vocab":{"a":0,"aa":1},"merges":["a a","a b"]})"),
       "model.merges[1]: 'b' is not in the vocabulary"},
      {file_with(R"({"vocab":{"a":0},"merges":["a a"]})"), "model.merges[0]: 'aa' is not"},
  };
  for (const auto& [text, message] : cases) expect_refusal(read, text, message);
}

TEST(TokenizerDocument, EveryPrefixOfAFileIsRefused) {
  const std::string text = file_with(R"({"type":"BPE","vocab":{"a":0,"aa":1},"merges":["a a"]})");
  EXPECT_NO_THROW(read(text));
  for (size_t size = 0; size < text.size(); ++size) EXPECT_THROW(read(text.substr(0, size)), Error);
}

TEST(TokenizerDocument, VocabularyAndMergesMayBeTwoFiles) {
  const std::string merges = "#version: 0.2\na b\r\n\nab a";
  const TokenizerDocument document = read_vocabulary_and_merges(
      {R"({"a":0,"b":1,"ab":2,"aba":3})", "vocab.json"}, {merges, "merges.txt"});
  EXPECT_THAT(document.tokens, ElementsAre("a", "b", "ab", "aba"));
  EXPECT_THAT(triples(document), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(2, 0, 3)));
  const auto read_merges = [](const std::string& text) {
    return read_vocabulary_and_merges({R"({"a":0,"aa":1})", "vocab.json"}, {text, "merges.txt"});
  };
  expect_refusal(read_merges, "a a\na b", "merges.txt: merge [1]: 'b' is not in the vocabulary");
  expect_refusal(read_merges, "a\n", "merges.txt: merge [0]: expected two tokens");
}

}  // namespace
}  // namespace colonnade::text
