// What Hugging Face `tokenizers` makes of the corpus (tools/make_tokenizer_golden.py).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/text/tokenizer_corpus.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/text/nfc.h"
#include "colonnade/text/tokenizer.h"

namespace colonnade::test {

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

/// The lines that golden data is about.
inline std::vector<std::string> golden_lines(const nlohmann::json& golden) {
  return CorpusMaker().lines(golden["seed"].get<uint64_t>(), golden["lines"].get<uint64_t>());
}

/// The tokenizer.json of a form of forms.json: with the tables of the vocabulary that it is about.
inline std::string tokenizer_file(const nlohmann::json& form) {
  const nlohmann::json tables = tokenizer_data(form["vocabulary"].get<std::string>());
  nlohmann::json file = form["tokenizer"];
  nlohmann::json& model = file["model"];
  model["vocab"] = nlohmann::json::object();
  for (size_t id = 0; id < form["vocabulary_size"].get<size_t>(); ++id)
    model["vocab"][tables["tokens"][id].get<std::string>()] = id;
  model["merges"] = tables["merges"];
  return file.dump();
}

inline uint64_t golden_digest(const nlohmann::json& golden, const char* name) {
  return std::stoull(golden[name].get<std::string>(), nullptr, 16);
}

/// Expects that `tokenizer` gives for the whole corpus the ids that NAME.json holds.
inline void expect_golden_ids(const text::Tokenizer& tokenizer, const std::string& name) {
  using text::AddSpecial;
  using text::ParseSpecial;
  const nlohmann::json golden = tokenizer_data(name);
  const std::vector<std::string> lines = golden_lines(golden);
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
  EXPECT_EQ(digest, golden_digest(golden, "digest"));
  EXPECT_EQ(digest_plain, golden_digest(golden, "digest_without_special"));
}

/// Expects that decoding what encoding gave is the text again, or its normal form where the model
/// normalizes; `spaces`: U+2581 comes back as a space.
enum class Normalizes { no, nfc, spaces };
inline std::string normal_form(const std::string& line, Normalizes normalizes) {
  if (normalizes == Normalizes::nfc) return text::to_nfc(line);
  std::string out;
  for (const char32_t c : code_points(line)) {
    const bool space = normalizes == Normalizes::spaces && c == 0x2581;
    text::append_utf8(&out, space ? U' ' : c);
  }
  return out;
}

inline void expect_round_trip(const text::Tokenizer& tokenizer, Normalizes normalizes) {
  for (const std::string& line : CorpusMaker().lines(20, 12000)) {
    const auto ids = tokenizer.encode(line, text::ParseSpecial::yes, text::AddSpecial::no);
    ASSERT_EQ(tokenizer.decode(ids, text::ControlText::keep), normal_form(line, normalizes));
  }
}

}  // namespace colonnade::test
