// The corpus of the tokenizer tests, and what Hugging Face `tokenizers` makes of it
// (tools/make_tokenizer_golden.py).
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/random.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/text/nfc.h"
#include "colonnade/text/tokenizer.h"
#include "colonnade/text/utf8.h"

namespace colonnade::test {

inline nlohmann::json tokenizer_data(const std::string& name) {
  std::ifstream file(std::string(COLONNADE_TEST_DATA) + "/tokenizer/" + name + ".json");
  return nlohmann::json::parse(file);
}

/// 256 bytes, 600 merges, four control tokens and four user-defined ones.
inline text::Vocabulary small_vocabulary(const std::string& pre) {
  const nlohmann::json data = tokenizer_data("vocabulary");
  text::Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.pre = pre;
  vocabulary.tokens = data["tokens"].get<std::vector<std::string>>();
  vocabulary.token_types = data["token_types"].get<std::vector<int32_t>>();
  vocabulary.merges = data["merges"].get<std::vector<std::string>>();
  vocabulary.bos = 0;
  return vocabulary;
}

inline constexpr uint64_t kFnvStart = 0xCBF29CE484222325u;

/// FNV-1a over the bytes of `value`, lowest first, in `bytes` bytes.
inline uint64_t fnv1a(uint64_t digest, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) digest = (digest ^ (value >> 8 * i & 0xFF)) * 0x100000001B3u;
  return digest;
}

inline uint64_t digest_of(const std::vector<int32_t>& ids) {
  uint64_t digest = kFnvStart;
  for (const int32_t id : ids) digest = fnv1a(digest, static_cast<uint32_t>(id), 4);
  return digest;
}

inline std::u32string code_points(std::string_view text) {
  std::u32string out;
  for (size_t pos = 0; pos < text.size();) out.push_back(text::next_code_point(text, &pos));
  return out;
}

/// Makes the lines of the corpus. Every draw is made in the order of the tool's.
class CorpusMaker {
 public:
  CorpusMaker() : corpus_(tokenizer_data("corpus")) {}

  std::vector<std::string> lines(uint64_t seed, uint64_t count) const {
    const nlohmann::json& scripts = corpus_["scripts"];
    std::vector<std::string> out;
    for (uint64_t i = 0; i < count; ++i) {
      const nlohmann::json& script = scripts[i % scripts.size()];
      const uint64_t round = i / scripts.size();
      out.push_back(round < script["sentences"].size()
                        ? script["sentences"][round].get<std::string>()
                        : line(script, seed + i));
    }
    return out;
  }

 private:
  static uint64_t below(Random& random, uint64_t count) { return random.bits() % count; }

  static const nlohmann::json& choose(Random& random, const nlohmann::json& items) {
    return items[below(random, items.size())];
  }

  std::string line(const nlohmann::json& script, uint64_t seed) const {
    Random random(seed);
    std::string out;
    for (uint64_t left = 1 + below(random, 6); left > 0; --left) {
      for (const char32_t c : part(random, script)) text::append_utf8(&out, c);
      if (below(random, 2) == 1) out += ' ';
    }
    return out;
  }

  std::u32string part(Random& random, const nlohmann::json& script) const {
    const uint64_t kind = below(random, 10);
    if (kind < 4) {
      const auto sentence = code_points(choose(random, script["sentences"]).get<std::string>());
      const uint64_t start = below(random, sentence.size());
      return sentence.substr(start, 1 + below(random, 24));
    }
    if (kind < 6) return word(random, script["ranges"]);
    if (kind < 8) return code_points(choose(random, corpus_["fragments"]).get<std::string>());
    std::u32string out;
    if (kind < 9) {
      for (uint64_t left = 1 + below(random, 6); left > 0; --left) {
        out.push_back(static_cast<char32_t>('0' + below(random, 10)));
      }
      return out;
    }
    const uint64_t c = below(random, 0x110000 - 0x800);
    out.push_back(static_cast<char32_t>(c < 0xD800 ? c : c + 0x800));
    return out;
  }

  static std::u32string word(Random& random, const nlohmann::json& ranges) {
    std::u32string out;
    for (uint64_t left = 1 + below(random, 8); left > 0; --left) {
      const nlohmann::json& range = choose(random, ranges);
      const uint64_t first = range[0].get<uint64_t>();
      const uint64_t last = range[1].get<uint64_t>();
      out.push_back(static_cast<char32_t>(first + below(random, last - first + 1)));
    }
    return out;
  }

  nlohmann::json corpus_;
};

/// Expects that `tokenizer` gives for the whole corpus the ids that NAME.json holds.
inline void expect_golden_ids(const text::Tokenizer& tokenizer, const std::string& name) {
  using text::AddSpecial;
  using text::ParseSpecial;
  const nlohmann::json golden = tokenizer_data(name);
  const std::vector<std::string> lines =
      CorpusMaker().lines(golden["seed"].get<uint64_t>(), golden["lines"].get<uint64_t>());
  const std::string line_hashes = golden["line_hashes"].get<std::string>();
  uint64_t digest = kFnvStart, digest_plain = kFnvStart;
  int differences = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto ids = tokenizer.encode(lines[i], ParseSpecial::yes, AddSpecial::no);
    const uint64_t hash = digest_of(ids);
    const bool same = (hash & 0xFF) == std::stoul(line_hashes.substr(2 * i, 2), nullptr, 16);
    if (!same && ++differences <= 5) ADD_FAILURE() << "line " << i << ": '" << lines[i] << "'";
    if (i < golden["first_ids"].size()) {
      EXPECT_EQ(ids, golden["first_ids"][i].get<std::vector<int32_t>>()) << lines[i];
    }
    digest = fnv1a(digest, hash, 8);
    const auto plain = tokenizer.encode(lines[i], ParseSpecial::no, AddSpecial::no);
    digest_plain = fnv1a(digest_plain, digest_of(plain), 8);
  }
  EXPECT_EQ(differences, 0);
  EXPECT_EQ(digest, std::stoull(golden["digest"].get<std::string>(), nullptr, 16));
  EXPECT_EQ(digest_plain,
            std::stoull(golden["digest_without_special"].get<std::string>(), nullptr, 16));
}

/// Expects that decoding what encoding gave is the text again, or its normal form where the model
/// normalizes.
enum class Normalizes { no, nfc };
inline void expect_round_trip(const text::Tokenizer& tokenizer, Normalizes normalizes) {
  for (const std::string& line : CorpusMaker().lines(20, 12000)) {
    const auto ids = tokenizer.encode(line, text::ParseSpecial::yes, text::AddSpecial::no);
    const std::string expected = normalizes == Normalizes::nfc ? text::to_nfc(line) : line;
    ASSERT_EQ(tokenizer.decode(ids, text::ControlText::keep), expected);
  }
}

}  // namespace colonnade::test
