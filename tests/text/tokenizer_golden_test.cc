// The ids of Hugging Face `tokenizers` over the corpus, with a small vocabulary; tests/api has
// those of the real models.
#include "tests/text/tokenizer_golden.h"

#include "colonnade/text/known_steps.h"
#include "colonnade/text/pretokenizer.h"

namespace colonnade::test {
namespace {

class TokenizerGolden : public testing::TestWithParam<const char*> {};

TEST_P(TokenizerGolden, EveryLineOfTheCorpusIsCutIntoTheWordsOfTheReference) {
  const nlohmann::json golden = tokenizer_data(std::string("small-") + GetParam());
  const text::PreTokenizer pre_tokenizer(text::known_steps(GetParam()).steps.splits);
  uint64_t digest = kFnvStart;
  for (const std::string& line : golden_lines(golden)) {
    for (const std::string_view word : pre_tokenizer.split(line)) {
      digest = fnv1a(digest, code_points(word).size(), 4);
    }
    digest = fnv1a(digest, 0, 4);
  }
  EXPECT_EQ(digest, golden_digest(golden, "words_digest"));
}

TEST_P(TokenizerGolden, EveryLineOfTheCorpusGetsTheIdsOfTheReference) {
  expect_golden_ids(text::Tokenizer(small_vocabulary(GetParam())),
                    std::string("small-") + GetParam());
}

TEST_P(TokenizerGolden, EveryLineOfTheCorpusComesBackFromItsIds) {
  const bool nfc = std::string(GetParam()) == "qwen2";
  expect_round_trip(text::Tokenizer(small_vocabulary(GetParam())),
                    nfc ? Normalizes::nfc : Normalizes::no);
}

INSTANTIATE_TEST_SUITE_P(EveryPreTokenizer, TokenizerGolden,
                         testing::Values("gpt-2", "smollm", "llama-bpe", "qwen2"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace colonnade::test
