// tokenizer.json in the form of every family, over the corpus: the ids and texts of Hugging Face
// `tokenizers` (tools/make_tokenizer_forms.py).
#include <algorithm>
#include <functional>

#include "tests/text/tokenizer_golden.h"
#include <gtest/gtest.h>

#include "colonnade/text/tokenizer_json.h"

namespace colonnade::test {
namespace {

using text::AddSpecial;
using text::ControlText;
using text::ParseSpecial;
using Ids = std::vector<int32_t>;

const nlohmann::json& forms() {
  static const nlohmann::json all = tokenizer_data("forms");
  return all;
}

text::Tokenizer tokenizer_of(const nlohmann::json& form) {
  const std::string text = tokenizer_file(form);
  text::TokenizerFiles files;
  files.tokenizer = {text, "tokenizer.json"};
  return text::Tokenizer(text::read_tokenizer_json(files));
}

// One digest per block of lines; expects those of the reference.
void expect_blocks(const nlohmann::json& expected, size_t lines, const char* what,
                   const std::function<uint64_t(uint64_t, size_t)>& add_line) {
  if (expected.empty()) return;  // the tool says why
  const auto block = forms()["block"].get<size_t>();
  for (size_t first = 0; first < lines; first += block) {
    uint64_t digest = kFnvStart;
    const size_t end = std::min(first + block, lines);
    for (size_t i = first; i < end; ++i) digest = add_line(digest, i);
    EXPECT_EQ(digest, std::stoull(expected[first / block].get<std::string>(), nullptr, 16))
        << what << " of lines " << first << " to " << end - 1;
  }
}

uint64_t add_ids(uint64_t digest, const Ids& ids) {
  for (const int32_t id : ids) digest = fnv1a(digest, static_cast<uint32_t>(id), 4);
  return fnv1a(digest, 0xFFFFFFFF, 4);
}

uint64_t add_text(uint64_t digest, std::string_view text) {
  for (const char c : text) digest = fnv1a(digest, static_cast<uint8_t>(c), 1);
  return fnv1a(digest, 0xFF, 1);
}

class TokenizerForms : public testing::TestWithParam<const char*> {};

// The same SentencePiece vocabulary as a GGUF file has it: scores in place of merges.
text::Vocabulary scored_vocabulary() {
  const nlohmann::json tables = tokenizer_data("vocabulary-sp");
  text::Vocabulary v;
  v.model = "llama";
  v.tokens = tables["tokens"].get<std::vector<std::string>>();
  v.token_types = tables["token_types"].get<std::vector<int32_t>>();
  v.scores = tables["scores"].get<std::vector<float>>();
  v.unk = 0;
  v.bos = 1;
  v.eos = 2;
  return v;
}

TEST(ScoredVocabulary, EveryLineOfTheCorpusGetsTheIdsThatMergesGive) {
  text::Vocabulary llama2 = scored_vocabulary();
  llama2.add_eos = true;
  text::Vocabulary gemma = scored_vocabulary();
  gemma.space_prefix.reset();
  const std::pair<const char*, text::Vocabulary> cases[] = {{"llama2", llama2}, {"gemma", gemma}};
  const std::vector<std::string> lines = golden_lines(forms());
  for (const auto& [name, vocabulary] : cases) {
    const text::Tokenizer tokenizer(vocabulary);
    expect_blocks(forms()[name]["ids"], lines.size(), name, [&](uint64_t digest, size_t i) {
      return add_ids(digest, tokenizer.encode(lines[i], ParseSpecial::yes, AddSpecial::yes));
    });
  }
}

TEST_P(TokenizerForms, EveryLineOfTheCorpusGetsTheIdsAndTheTextOfTheReference) {
  const nlohmann::json& form = forms()[GetParam()];
  const text::Tokenizer tokenizer = tokenizer_of(form);
  const std::vector<std::string> lines = golden_lines(forms());
  std::vector<Ids> ids;
  for (const std::string& line : lines)
    ids.push_back(tokenizer.encode(line, ParseSpecial::yes, AddSpecial::yes));
  for (size_t i = 0; i < form["first_ids"].size(); ++i)
    EXPECT_EQ(ids[i], form["first_ids"][i].get<Ids>()) << lines[i];
  expect_blocks(form["ids"], lines.size(), "ids",
                [&](uint64_t digest, size_t i) { return add_ids(digest, ids[i]); });
  expect_blocks(form["plain_ids"], lines.size(), "ids without special tokens",
                [&](uint64_t digest, size_t i) {
                  return add_ids(digest,
                                 tokenizer.encode(lines[i], ParseSpecial::no, AddSpecial::no));
                });
  expect_blocks(form["texts"], lines.size(), "text", [&](uint64_t digest, size_t i) {
    return add_text(digest, tokenizer.decode(ids[i], ControlText::keep));
  });
  expect_blocks(form["texts_without_special"], lines.size(), "text without special tokens",
                [&](uint64_t digest, size_t i) {
                  return add_text(digest, tokenizer.decode(ids[i], ControlText::skip));
                });
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, TokenizerForms,
                         testing::Values("gpt2", "gpt2-prefix-space", "opt", "phi-2", "bloom",
                                         "smollm", "llama3", "qwen2", "gpt-oss", "mistral-nemo",
                                         "phi-4", "deepseek-v3", "llama2",
                                         "llama2-normalized-tokens", "phi-3", "strip-left",
                                         "mistral-v3", "metaspace-split", "gemma"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace colonnade::test
