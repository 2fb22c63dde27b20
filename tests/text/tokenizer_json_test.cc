#include "colonnade/text/tokenizer_json.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/text/tokenizer.h"

namespace colonnade::text {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<int32_t>;

// A small byte-level tokenizer.json.
json byte_level() {
  return json::parse(R"({"version":"1.0","truncation":null,"padding":null,
    "added_tokens":[{"id":4,"content":"<|end|>","single_word":false,"lstrip":false,"rstrip":false,
                     "normalized":false,"special":true},
                    {"id":5,"content":"<tool>","special":false}],
    "normalizer":null,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},
    "post_processor":null,"decoder":{"type":"ByteLevel"},
    "model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":"",
             "end_of_word_suffix":"","fuse_unk":false,"byte_fallback":false,"ignore_merges":false,
             "vocab":{"a":0,"b":1,"ab":2,"\u0120":3},"merges":["a b"]}})");
}

// A SentencePiece-like one.
json sentencepiece() {
  json file = byte_level();
  file["added_tokens"] = json::parse(R"([{"id":0,"content":"<unk>","special":true}])");
  file["pre_tokenizer"] = nullptr;
  file["normalizer"] =
      json::parse(R"({"type":"Replace","pattern":{"String":" "},"content":"\u2581"})");
  file["decoder"] = json::parse(R"({"type":"Sequence","decoders":[
      {"type":"Replace","pattern":{"String":"\u2581"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"}]})");
  file["model"]["vocab"] = json::parse(R"({"<unk>":0,"a":1,"<0xC3>":2,"<0xA9>":3,"\u2581":4})");
  file["model"]["merges"] = json::array();
  file["model"]["unk_token"] = "<unk>";
  file["model"]["byte_fallback"] = true;
  return file;
}

struct Folder {
  json tokenizer = byte_level();
  json tokenizer_config, special_tokens_map, generation_config, config;

  Vocabulary read() const {
    const json* files[] = {&tokenizer, &tokenizer_config, &special_tokens_map, &generation_config,
                           &config};
    std::vector<std::string> texts;
    for (const json* file : files) texts.push_back(file->is_null() ? "" : file->dump());
    TokenizerFiles named;
    named.tokenizer = {texts[0], "tokenizer.json"};
    named.tokenizer_config = {texts[1], "tokenizer_config.json"};
    named.special_tokens_map = {texts[2], "special_tokens_map.json"};
    named.generation_config = {texts[3], "generation_config.json"};
    named.config = {texts[4], "config.json"};
    return read_tokenizer_json(named);
  }
};

Ids encode(const Vocabulary& v, std::string_view text, ParseSpecial parse = ParseSpecial::yes) {
  return Tokenizer(v).encode(text, parse, AddSpecial::yes);
}

TEST(TokenizerJson, TheVocabularyIsThatOfTheFile) {
  const Vocabulary v = Folder().read();
  EXPECT_EQ(v.model, "gpt2");
  EXPECT_THAT(v.tokens, ElementsAre("a", "b", "ab", "\u0120", "<|end|>", "<tool>"));
  EXPECT_THAT(v.token_types, ElementsAre(1, 1, 1, 1, 3, 4));
  EXPECT_THAT(encode(v, "ab ba<|end|><tool>"), ElementsAre(2, 3, 1, 0, 4, 5));
  EXPECT_EQ(Tokenizer(v).decode(Ids{2, 3, 1, 4, 5}), "ab b<tool>");
}

TEST(TokenizerJson, TheUsersTextNeverBecomesControlTokens) {  // case B4
  Folder folder;
  folder.tokenizer["model"]["vocab"] = json::parse(R"({"<":0,"|":1,"<|":2,"end|>":3,"<|end|>":4})");
  folder.tokenizer["model"]["merges"] = json::parse(R"(["< |","<| end|>"])");
  folder.tokenizer["model"]["ignore_merges"] = true;
  for (const int32_t id : encode(folder.read(), "<|end|>", ParseSpecial::no)) EXPECT_NE(id, 4);
}

TEST(TokenizerJson, BytesStandForWhatSentencePieceCannotSpell) {
  Folder folder;
  folder.tokenizer = sentencepiece();
  const Vocabulary v = folder.read();
  EXPECT_EQ(v.model, "llama");
  EXPECT_EQ(v.unk, 0);
  EXPECT_THAT(v.token_types, ElementsAre(3, 1, 6, 6, 1));
  EXPECT_THAT(encode(v, "a \u00E9\u4E2D\u4E2D"), ElementsAre(1, 4, 2, 3, 0, 0));
  folder.tokenizer["model"]["fuse_unk"] = true;
  EXPECT_THAT(encode(folder.read(), "\u4E2D\u4E2D"), ElementsAre(0));
}

TEST(TokenizerJson, TheOtherFilesNameBosEosAndPadding) {
  Folder folder;
  folder.tokenizer_config = json::parse(R"({"bos_token":{"content":"<|end|>"},"eos_token":null})");
  folder.special_tokens_map =
      json::parse(R"({"bos_token":"a","eos_token":"<tool>","pad_token":"b"})");
  const Vocabulary v = folder.read();
  EXPECT_EQ(v.bos, 4);
  EXPECT_EQ(v.eos, 5);
  EXPECT_EQ(v.pad, 1);
  folder = {};
  folder.config = json::parse(R"({"bos_token_id":2,"eos_token_id":[3,4],"vocab_size":6})");
  EXPECT_EQ(folder.read().bos, 2);
  EXPECT_EQ(folder.read().eos, 3);
}

TEST(TokenizerJson, EveryTokenThatEndsAGenerationIsOne) {
  Folder folder;
  folder.generation_config = json::parse(R"({"eos_token_id":[1,4]})");
  folder.config = json::parse(R"({"text_config":{"eos_token_id":7,"vocab_size":9}})");
  folder.tokenizer_config = json::parse(R"({"eos_token":"a"})");
  const Tokenizer tokenizer(folder.read());
  EXPECT_EQ(tokenizer.vocab_size(), 9);
  for (int32_t id = 0; id < 9; ++id) {
    const bool expected = id == 0 || id == 1 || id == 4 || id == 7;
    EXPECT_EQ(tokenizer.is_end_of_generation(id), expected) << id;
  }
}

TEST(TokenizerJson, TheConfigurationDecidesAboutBosAndEos) {
  Folder folder;
  folder.tokenizer["post_processor"] =
      json::parse(R"({"type":"RobertaProcessing","sep":["b",1],"cls":["<|end|>",4]})");
  EXPECT_THAT(encode(folder.read(), "a"), ElementsAre(4, 0, 1));
  folder.tokenizer_config = json::parse(
      R"({"bos_token":"<|end|>","eos_token":"b","add_bos_token":false,"add_eos_token":true})");
  EXPECT_THAT(encode(folder.read(), "a"), ElementsAre(0, 1));
  folder.tokenizer["post_processor"] = nullptr;
  folder.tokenizer_config["add_bos_token"] = true;
  EXPECT_THAT(encode(folder.read(), "a"), ElementsAre(4, 0, 1));
}

TEST(TokenizerJson, EveryRowOfTheEmbeddingIsAToken) {
  Folder folder;
  folder.config = json::parse(R"({"vocab_size":10})");
  const Tokenizer tokenizer(folder.read());
  EXPECT_EQ(tokenizer.vocab_size(), 10);
  EXPECT_EQ(tokenizer.decode(Ids{0, 9, 1}), "ab");
  folder.config["vocab_size"] = 3;  // fewer rows than tokens: the decoder refuses that
  EXPECT_EQ(Tokenizer(folder.read()).vocab_size(), 6);
}

TEST(TokenizerJson, TokensThatOnlyTheConfigurationListsAreAdded) {
  Folder folder;
  folder.tokenizer_config = json::parse(
      R"({"added_tokens_decoder":{"4":{"content":"<|end|>","special":true},"7":{"content":"<new>","special":true}}})");
  const Vocabulary v = folder.read();
  EXPECT_THAT(encode(v, "a<new>"), ElementsAre(0, 7));
  EXPECT_EQ(v.type(6), TokenType::unused);
}

TEST(TokenizerJson, WithoutATokenizerJsonVocabularyAndMergesAreGpt2s) {  // OPT's folders
  TokenizerFiles files;
  files.vocab = {R"({"</s>":0,"a":1,"b":2,"ab":3,"\u0120":4,"<pad>":5})", "vocab.json"};
  files.merges = {"#version: 0.2\na b\n", "merges.txt"};
  files.tokenizer_config = {R"({"add_bos_token":true,"bos_token":{"content":"</s>"},
      "eos_token":{"content":"</s>"},"unk_token":{"content":"</s>"},"pad_token":"<pad>"})",
                            "c"};
  const Vocabulary v = read_tokenizer_json(files);
  EXPECT_THAT(encode(v, "ab a</s>"), ElementsAre(0, 3, 4, 1, 0));
  EXPECT_EQ(v.bos, 0);
  EXPECT_EQ(v.pad, 5);
  EXPECT_EQ(v.type(5), TokenType::control);
  files.merges = {};
  EXPECT_THROW(read_tokenizer_json(files), Error);
}

TEST(TokenizerJson, WhatIsWrongIsNamedWithFileAndField) {
  const struct {
    std::function<void(Folder&)> spoil;
    const char* message;
  } cases[] = {
      {[](Folder& f) { f.tokenizer["more"] = 1; }, "tokenizer.json: unknown field 'more'"},
      {[](Folder& f) { f.tokenizer["model"]["more"] = 1; }, "tokenizer.json: model: unknown field"},
      {[](Folder& f) { f.tokenizer["model"]["dropout"] = 0.1; },
       "model.dropout: expected no dropout"},
      {[](Folder& f) { f.tokenizer["model"]["end_of_word_suffix"] = "</w>"; },
       "model.end_of_word_suffix: expected none"},
      {[](Folder& f) { f.tokenizer["model"]["unk_token"] = "?"; },
       "model.unk_token: expected a token of the vocabulary, got '?'"},
      {[](Folder& f) { f.tokenizer["model"]["byte_fallback"] = true; }, "model.byte_fallback"},
      {[](Folder& f) { f.tokenizer["decoder"] = nullptr; }, "decoder"},
      {[](Folder& f) { f.tokenizer["pre_tokenizer"] = nullptr; }, "expected ByteLevel in both"},
      {[](Folder& f) { f.tokenizer["pre_tokenizer"]["use_regex"] = 1; },
       "tokenizer.json: pre_tokenizer.use_regex"},
      {[](Folder& f) { f.tokenizer["added_tokens"][0]["id"] = 3; },
       "added_tokens[0]: tokens '\\xc4\\xa0' and '<|end|>' both have id 3"},
      {[](Folder& f) { f.tokenizer["added_tokens"][0]["content"] = "a"; },
       "token 'a': expected its id in the vocabulary, 0, got 4"},
      {[](Folder& f) { f.tokenizer["added_tokens"][0]["content"] = ""; },
       "added_tokens[0].content: expected a text that is not empty"},
      {[](Folder& f) { f.tokenizer["added_tokens"][0]["id"] = 1'000'000; }, "added_tokens[0].id"},
      {[](Folder& f) { f.tokenizer["added_tokens"][0]["odd"] = 1; },
       "added_tokens[0]: unknown field"},
      {[](Folder& f) { f.tokenizer_config = json::parse(R"({"add_bos_token":true})"); },
       "tokenizer_config.json: add_bos_token: the model wants its bos_token"},
      {[](Folder& f) { f.tokenizer_config = json::parse(R"({"bos_token":7})"); },
       "tokenizer_config.json: bos_token: expected an object, got 7"},
      {[](Folder& f) {
         f.tokenizer_config = json::parse(R"({"added_tokens_decoder":{"x":{"content":"y"}}})");
       },
       "added_tokens_decoder.x: expected a token id as its name"},
      {[](Folder& f) { f.generation_config = json::parse(R"({"eos_token_id":[0,99]})"); },
       "generation_config.json: eos_token_id[1]: expected an integer from 0 to 5, got 99"},
      {[](Folder& f) { f.config = json::parse(R"({"vocab_size":100000000})"); },
       "config.json: vocab_size: expected an integer from 1 to"},
      {[](Folder& f) { f.config = json::parse("[]"); }, "config.json: expected an object"},
  };
  for (const auto& c : cases) {
    Folder folder;
    c.spoil(folder);
    try {
      folder.read();
      ADD_FAILURE() << "no error that says " << c.message;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(c.message));
    }
  }
}

TEST(TokenizerJson, EveryFieldOfAnotherTypeIsNamedWithItsFile) {
  const struct {
    json Folder::*file;
    const char* name;
    std::vector<const char*> fields;
  } cases[] = {
      {&Folder::tokenizer,
       "tokenizer.json: ",
       {"/added_tokens",
        "/added_tokens/0/id",
        "/added_tokens/0/content",
        "/added_tokens/0/special",
        "/added_tokens/0/normalized",
        "/added_tokens/0/lstrip",
        "/added_tokens/0/rstrip",
        "/added_tokens/0/single_word",
        "/normalizer",
        "/pre_tokenizer",
        "/post_processor",
        "/decoder",
        "/model",
        "/model/dropout",
        "/model/unk_token",
        "/model/continuing_subword_prefix",
        "/model/end_of_word_suffix",
        "/model/fuse_unk",
        "/model/byte_fallback",
        "/model/ignore_merges",
        "/model/vocab",
        "/model/merges"}},
      {&Folder::tokenizer_config,
       "tokenizer_config.json: ",
       {"/bos_token", "/eos_token", "/pad_token", "/add_bos_token", "/add_eos_token",
        "/added_tokens_decoder"}},
      {&Folder::special_tokens_map, "special_tokens_map.json: ", {"/bos_token", "/pad_token"}},
      {&Folder::generation_config, "generation_config.json: ", {"/eos_token_id", "/bos_token_id"}},
      {&Folder::config, "config.json: ", {"/eos_token_id", "/vocab_size", "/text_config"}},
  };
  for (const auto& c : cases) {
    for (const std::string field : c.fields) {
      Folder folder;
      folder.tokenizer["model"]["unk_token"] = "a";  // fuse_unk is read beside it
      json& file = folder.*c.file;
      if (file.is_null()) file = json::object();
      file[json::json_pointer(field)] = json::array({json::array()});
      try {
        folder.read();
        ADD_FAILURE() << c.name << field;
      } catch (const Error& e) {
        EXPECT_THAT(e.what(), testing::StartsWith(c.name)) << field;
        EXPECT_THAT(e.what(), HasSubstr(field.substr(field.rfind('/') + 1))) << field;
      }
    }
  }
}

}  // namespace
}  // namespace colonnade::text
