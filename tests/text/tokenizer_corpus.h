// The lines that the tokenizer tests run over, and a small vocabulary that was trained on them.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/random.h"
#include <nlohmann/json.hpp>

#include "colonnade/text/utf8.h"
#include "colonnade/text/vocabulary.h"

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

}  // namespace colonnade::test
