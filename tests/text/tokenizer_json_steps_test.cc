#include "colonnade/text/tokenizer_json_steps.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/text/known_steps.h"

namespace colonnade::text {
namespace {

using testing::ElementsAre;
using Kind = NormalizerStep::Kind;

// Calls `read` with the JSON, which must outlive the value.
template <typename Read>
auto with(const std::string& text, Read read) {
  const nlohmann::json json = nlohmann::json::parse(text);
  return read(JsonValue(json, "t.json"));
}

std::vector<NormalizerStep> normalizer(const std::string& text) {
  return with(text, read_normalizer);
}
PreTokenizerSteps pre(const std::string& text) { return with(text, read_pre_tokenizer); }
DecoderForm decoder(const std::string& text) { return with(text, read_decoder); }
AroundText post(const std::string& text) {
  return with(text, [](const JsonValue& json) { return read_post_processor(json, 10); });
}

TEST(TokenizerJsonSteps, NormalizersBecomeSteps) {
  EXPECT_THAT(normalizer(R"({"type":"NFC"})"), ElementsAre(NormalizerStep{Kind::nfc, "", ""}));
  EXPECT_THAT(
      normalizer(R"({"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"_"},
          {"type":"Replace","pattern":{"String":" "},"content":"_"},
          {"type":"Sequence","normalizers":[]}]})"),
      ElementsAre(NormalizerStep{Kind::prepend, "", "_"}, NormalizerStep{Kind::replace, " ", "_"}));
}

TEST(TokenizerJsonSteps, PreTokenizersBecomeSplitsAndChangesOfText) {
  const std::string gpt2(kGpt2Regex);
  const PreTokenizerSteps byte_level = pre(R"({"type":"ByteLevel","add_prefix_space":true})");
  EXPECT_TRUE(byte_level.byte_level);
  EXPECT_THAT(byte_level.behind, ElementsAre(NormalizerStep{Kind::prepend_unless, "", " "}));
  EXPECT_THAT(byte_level.splits, ElementsAre(SplitStep{gpt2, SplitBehavior::isolated, false}));

  const PreTokenizerSteps sequence = pre(R"({"type":"Sequence","pretokenizers":[
      {"type":"Split","pattern":{"Regex":"a+"},"behavior":"Removed","invert":true},
      {"type":"Split","pattern":{"String":"."},"behavior":"MergedWithNext"},
      {"type":"Digits"},{"type":"Digits","individual_digits":true},
      {"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false}]})");
  EXPECT_TRUE(sequence.byte_level);
  EXPECT_TRUE(sequence.behind.empty());
  EXPECT_THAT(sequence.splits,
              ElementsAre(SplitStep{"a+", SplitBehavior::removed, true},
                          SplitStep{"\\.", SplitBehavior::merged_with_next, false},
                          SplitStep{"\\p{Digits}", SplitBehavior::contiguous, false},
                          SplitStep{"\\p{Digits}", SplitBehavior::isolated, false}));
}

TEST(TokenizerJsonSteps, AMetaspaceReplacesPrependsAndSplits) {
  const NormalizerStep replace{Kind::replace, " ", "\u2581"};
  const PreTokenizerSteps all = pre(R"({"type":"Metaspace","replacement":"\u2581"})");
  EXPECT_FALSE(all.byte_level);
  EXPECT_THAT(all.behind, ElementsAre(replace, NormalizerStep{Kind::prepend_unless, "", "\u2581"}));
  EXPECT_THAT(all.splits, ElementsAre(SplitStep{"\u2581", SplitBehavior::merged_with_next, false}));
  const PreTokenizerSteps first =
      pre(R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"first","split":false})");
  EXPECT_THAT(first.behind,
              ElementsAre(replace, NormalizerStep{Kind::prepend_first, "", "\u2581"}));
  EXPECT_TRUE(first.splits.empty());
  for (const char* never : {R"("prepend_scheme":"never")", R"("add_prefix_space":false)"}) {
    const auto steps =
        pre(std::string(R"({"type":"Metaspace","replacement":"\u2581",)") + never + "}");
    EXPECT_THAT(steps.behind, ElementsAre(replace)) << never;
  }
}

TEST(TokenizerJsonSteps, DecodersAreOfBytesOrOfSentencePiece) {
  EXPECT_TRUE(decoder(R"({"type":"ByteLevel","use_regex":true})").byte_level);
  EXPECT_TRUE(decoder(R"({"type":"Sequence","decoders":[{"type":"ByteLevel"}]})").byte_level);
  const std::string replace = R"({"type":"Replace","pattern":{"String":"\u2581"},"content":" "})";
  const std::string gemma = replace + R"(,{"type":"ByteFallback"},{"type":"Fuse"})";
  const auto sequence = [](const std::string& list) {
    return decoder(R"({"type":"Sequence","decoders":[)" + list + "]}");
  };
  EXPECT_FALSE(sequence(gemma).byte_level);
  EXPECT_FALSE(sequence(gemma).strip_first_space);
  const std::string strip = R"(,{"type":"Strip","content":" ","start":1,"stop":0})";
  EXPECT_TRUE(sequence(gemma + strip).strip_first_space);
  EXPECT_TRUE(decoder(R"({"type":"Metaspace","replacement":"\u2581"})").strip_first_space);
  EXPECT_FALSE(decoder(R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"never"})")
                   .strip_first_space);
}

TEST(TokenizerJsonSteps, PostProcessorsPutTokensAround) {
  const AroundText both = post(R"({"type":"TemplateProcessing","single":[
      {"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
      {"SpecialToken":{"id":"</s>","type_id":0}}],"pair":[],
      "special_tokens":{"<s>":{"id":"<s>","ids":[1,4],"tokens":["<s>","x"]},
                        "</s>":{"id":"</s>","ids":[2],"tokens":["</s>"]}}})");
  EXPECT_THAT(both.prefix, ElementsAre(1, 4));
  EXPECT_THAT(both.suffix, ElementsAre(2));
  const AroundText roberta = post(
      R"({"type":"Sequence","processors":[{"type":"ByteLevel","trim_offsets":true},
          {"type":"RobertaProcessing","sep":["</s>",2],"cls":["<s>",0],"trim_offsets":true}]})");
  EXPECT_THAT(roberta.prefix, ElementsAre(0));
  EXPECT_THAT(roberta.suffix, ElementsAre(2));
}

TEST(TokenizerJsonSteps, WhatIsNotSupportedIsNamedWithWhatIs) {
  const std::function<void(const std::string&)> n = normalizer, p = pre, d = decoder, q = post;
  const struct {
    std::function<void(const std::string&)> read;
    std::string json;
    const char* message;
  } cases[] = {
      {n, R"({"type":"NFKC"})", "t.json: type 'NFKC' is not supported; supported: NFC, Prepend"},
      {n, R"({})", "field 'type' is missing"},
      {n, R"([])", "expected an object"},
      {n, R"({"type":"NFC","x":1})", "unknown field 'x'; known: type"},
      {n, R"({"type":"Sequence","normalizers":[{"type":"Lowercase"}]})",
       "normalizers[0]: type 'Lowercase' is not supported"},
      {n, R"({"type":"Replace","pattern":{"Regex":"a"},"content":""})",
       "pattern: expected a \"String\""},
      {n, R"({"type":"Replace","pattern":{"String":""},"content":""})", "that is not empty"},
      {n, R"({"type":"Prepend","prepend":1})", "prepend: expected a text, got 1"},
      {p, R"({"type":"BertPreTokenizer"})",
       "'BertPreTokenizer' is not supported; supported: ByteLevel"},
      {p, R"({"type":"Split","pattern":{"Regex":"a"},"behavior":"Sometimes"})",
       "behavior: expected Removed"},
      {p, R"({"type":"Split","pattern":{"Glob":"a"},"behavior":"Removed"})",
       "unknown field 'Glob'"},
      {p, R"({"type":"Metaspace","replacement":"_"})", "replacement: expected U+2581"},
      {p, R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"last"})",
       "expected always"},
      {p,
       R"({"type":"Sequence","pretokenizers":[{"type":"Digits"},{"type":"ByteLevel","add_prefix_space":true}]})",
       "pretokenizers[1]: a space before every word"},
      {p,
       R"({"type":"Sequence","pretokenizers":[{"type":"ByteLevel","add_prefix_space":false},{"type":"Digits"}]})",
       "pretokenizers[1]: a step behind ByteLevel"},
      {d, R"({"type":"WordPiece"})", "type 'WordPiece' is not supported; supported: ByteLevel"},
      {d, R"({"type":"Sequence","decoders":[]})", "expected Replace, ByteFallback"},
      {d, R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"ByteFallback"}]})",
       "in this order"},
      {d,
       R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"_"},"content":" "},{"type":"Fuse"}]})",
       "decoders[0]: expected a replacement of U+2581"},
      {q, R"({"type":"X"})", "type 'X' is not supported; supported: BertProcessing"},
      {q, R"({"type":"RobertaProcessing","sep":["a",10],"cls":["a",0]})",
       "sep[1]: expected an integer from 0 to 9, got 10"},
      {q, R"({"type":"RobertaProcessing","sep":["a"],"cls":["a",0]})",
       "sep: expected a list of a token and its id, got a list of 1"},
      {q, R"({"type":"BertProcessing","sep":["a",1],"cls":[]})",
       "cls: expected a list of a token and its id, got a list of 0"},
      {q, R"({"type":"TemplateProcessing","single":[],"special_tokens":{}})",
       "a place for the text"},
      {q,
       R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}}],"special_tokens":{}})",
       "special_tokens: field '<s>' is missing"},
  };
  for (const auto& c : cases) {
    try {
      c.read(c.json);
      ADD_FAILURE() << c.json << ": no error that says " << c.message;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(c.message)) << c.json;
    }
  }
}

TEST(TokenizerJsonSteps, EveryFieldOfAnotherTypeIsNamed) {
  const std::function<void(const std::string&)> n = normalizer, p = pre, d = decoder, q = post;
  const struct {
    std::function<void(const std::string&)> read;
    std::string json;
    std::vector<const char*> fields;
  } cases[] = {
      {n,
       R"({"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"_"}]})",
       {"/type", "/normalizers", "/normalizers/0/prepend"}},
      {n,
       R"({"type":"Replace","pattern":{"String":"a"},"content":"b"})",
       {"/pattern", "/pattern/String", "/content"}},
      {p,
       R"({"type":"Split","pattern":{"Regex":"a"},"behavior":"Removed","invert":true})",
       {"/pattern", "/pattern/Regex", "/behavior", "/invert"}},
      {p, R"({"type":"Digits","individual_digits":true})", {"/individual_digits"}},
      {p,
       R"({"type":"ByteLevel","add_prefix_space":true,"use_regex":true})",
       {"/add_prefix_space", "/use_regex"}},
      {p,
       R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"first","split":true})",
       {"/replacement", "/prepend_scheme", "/split"}},
      {p, R"({"type":"Sequence","pretokenizers":[]})", {"/pretokenizers"}},
      {d,
       R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"\u2581"},"content":" "},
              {"type":"Strip","content":" ","start":1,"stop":0}]})",
       {"/type", "/decoders", "/decoders/0/pattern/String", "/decoders/0/content",
        "/decoders/1/content", "/decoders/1/start", "/decoders/1/stop"}},
      {d, R"({"type":"Metaspace","replacement":"\u2581"})", {"/replacement"}},
      {q, R"({"type":"Sequence","processors":[]})", {"/type", "/processors"}},
      {q,
       R"({"type":"BertProcessing","sep":["a",1],"cls":["b",2]})",
       {"/sep", "/cls", "/sep/1", "/cls/1"}},
      {q,
       R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"s"}},{"Sequence":{"id":"A"}}],
              "special_tokens":{"s":{"id":"s","ids":[1]}}})",
       {"/single", "/single/0/SpecialToken", "/single/0/SpecialToken/id", "/special_tokens",
        "/special_tokens/s", "/special_tokens/s/ids", "/special_tokens/s/ids/0"}},
  };
  for (const auto& c : cases) {
    c.read(c.json);
    for (const std::string field : c.fields) {
      nlohmann::json wrong = nlohmann::json::parse(c.json);
      wrong[nlohmann::json::json_pointer(field)] = 77.5;
      std::string name = field.substr(field.rfind('/') + 1);
      if (name == "0" || name == "1") name = "[" + name + "]";
      try {
        c.read(wrong.dump());
        ADD_FAILURE() << c.json << ": " << field;
      } catch (const Error& e) {
        EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr(name + ": expected "),
                                             testing::HasSubstr(", got 77.5")));
      }
    }
  }
}

}  // namespace
}  // namespace colonnade::text
