#include "colonnade/text/tokenizer_json.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/base/json.h"
#include "colonnade/base/quote.h"
#include "colonnade/text/known_steps.h"
#include "colonnade/text/tokenizer_json_steps.h"

namespace colonnade::text {
namespace {

// Embeddings have some rows more than there are tokens: to make their number round.
constexpr int64_t kMostPadding = 1 << 16;

// A file of JSON that may not be there.
class SideFile {
 public:
  explicit SideFile(const FileText& file)
      : name_(file.name),
        json_(file.text.empty() ? nlohmann::json::object() : parse_json(file.text, file.name)) {}
  JsonValue all() const { return {json_, name_}; }

 private:
  std::string name_;
  nlohmann::json json_;
};

bool is_byte_token(std::string_view token) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); };
  return token.size() == 6 && token.starts_with("<0x") && is_digit(token[3]) &&
         is_digit(token[4]) && token[5] == '>';
}

class Reader {
 public:
  explicit Reader(const TokenizerFiles& files)
      : files_(files),
        tokenizer_config_(files.tokenizer_config),
        special_tokens_map_(files.special_tokens_map),
        generation_config_(files.generation_config),
        config_(files.config) {}

  Vocabulary read() {
    v_.rules.emplace();
    if (!files_.tokenizer.text.empty()) {
      read_tokenizer();
    } else {
      read_gpt2_files();
    }
    add_listed_tokens();
    name_tokens();
    read_bos_and_eos();
    read_end_tokens();
    pad_to_embedding();
    // Nobody can write a control token, nor may merges lead to one.
    std::erase_if(v_.rules->merges,
                  [&](const TokenMerge& m) { return v_.type(m.token) == TokenType::control; });
    return std::move(v_);
  }

 private:
  int64_t count() const { return static_cast<int64_t>(v_.tokens.size()); }

  TokenType type_of(int32_t id) const { return v_.type(id); }

  void set_type(int32_t id, TokenType type) {
    v_.token_types[static_cast<size_t>(id)] = static_cast<int32_t>(type);
  }

  void take_tables(TokenizerDocument& document) {
    v_.tokens = std::move(document.tokens);
    v_.rules->merges = std::move(document.merges);
    v_.token_types.assign(v_.tokens.size(), static_cast<int32_t>(TokenType::normal));
    ids_.reserve(v_.tokens.size());
    for (size_t i = 0; i < v_.tokens.size(); ++i) {
      const auto id = static_cast<int32_t>(i);
      if (v_.tokens[i].empty()) {
        set_type(id, TokenType::unused);
      } else {
        ids_.emplace(v_.tokens[i], id);
      }
    }
  }

  void read_tokenizer() {
    TokenizerDocument document = read_tokenizer_document(files_.tokenizer);
    take_tables(document);
    const nlohmann::json rest = parse_json(document.rest, files_.tokenizer.name);
    const JsonValue all(rest, files_.tokenizer.name);
    check_known(all, {"version", "truncation", "padding", "added_tokens", "normalizer",
                      "pre_tokenizer", "post_processor", "decoder", "model"});
    read_steps(all);
    read_model(all.field("model"));
    if (const auto tokens = find(all, "added_tokens")) {
      for (size_t i = 0; i < tokens->size(); ++i) {
        const JsonValue token = tokens->at(i);
        check_known(token,
                    {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
        add_token(token, token.field("id").integer(0, count() + kMostPadding));
      }
    }
    if (const auto post = find(all, "post_processor")) {
      const AroundText around = read_post_processor(*post, count());
      v_.rules->prefix = around.prefix;
      v_.rules->suffix = around.suffix;
    }
  }

  void read_steps(const JsonValue& all) {
    TextSteps& steps = v_.rules->steps;
    if (const auto normalizer = find(all, "normalizer"))
      steps.normalizer = read_normalizer(*normalizer);
    bool byte_level = false;
    if (const auto pre_tokenizer = find(all, "pre_tokenizer")) {
      PreTokenizerSteps pre = read_pre_tokenizer(*pre_tokenizer);
      steps.behind = std::move(pre.behind);
      steps.splits = std::move(pre.splits);
      byte_level = pre.byte_level;
    }
    const DecoderForm decoder = read_decoder(all.field("decoder"));
    CN_CHECK(decoder.byte_level == byte_level, all.place(),
             ": expected ByteLevel in both of pre_tokenizer and decoder, or in none");
    v_.model = byte_level ? "gpt2" : "llama";
    v_.rules->strip_first_space = decoder.strip_first_space;
  }

  void read_model(const JsonValue& model) {
    check_known(model, {"type", "dropout", "unk_token", "continuing_subword_prefix",
                        "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges"});
    if (const auto dropout = find(model, "dropout"); dropout && dropout->number() != 0)
      dropout->refuse("no dropout");
    for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (const auto affix = find(model, name); affix && !affix->text().empty())
        affix->refuse("none: it is not supported");
    }
    v_.rules->whole_words = flag_or(model, "ignore_merges", false);
    if (const auto unk = find(model, "unk_token")) {
      const auto id = ids_.find(unk->text());
      if (id == ids_.end()) unk->refuse("a token of the vocabulary");
      v_.unk = id->second;
      v_.rules->unknown =
          flag_or(model, "fuse_unk", false) ? UnknownText::unk_for_all : UnknownText::unk_each;
    }
    if (!flag_or(model, "byte_fallback", false)) return;
    CN_CHECK(v_.model == "llama", model.place_of("byte_fallback"),
             ": expected none of a vocabulary whose tokens are bytes");
    for (int32_t id = 0; id < count(); ++id) {
      if (is_byte_token(v_.tokens[static_cast<size_t>(id)])) set_type(id, TokenType::byte);
    }
  }

  // `json` has content and flags.
  void add_token(const JsonValue& json, int64_t wanted_id) {
    WrittenToken token;
    token.text = json.field("content").text();
    CN_CHECK(!token.text.empty(), json.place_of("content"), ": expected a text that is not empty");
    const auto known = ids_.find(token.text);
    CN_CHECK(known == ids_.end() || known->second == wanted_id, json.place(), ": token ",
             quote(token.text), ": expected its id in the vocabulary, ",
             known == ids_.end() ? -1 : known->second, ", got ", wanted_id);
    token.id = static_cast<int32_t>(wanted_id);
    token.control = flag_or(json, "special", false);
    token.normalized = flag_or(json, "normalized", !token.control);
    token.strip_left = flag_or(json, "lstrip", false);
    token.strip_right = flag_or(json, "rstrip", false);
    token.single_word = flag_or(json, "single_word", false);
    if (known == ids_.end()) place_token(json, token);
    if (token.control) set_type(token.id, TokenType::control);
    written_.insert(token.text);
    v_.rules->written.push_back(std::move(token));
  }

  void place_token(const JsonValue& json, const WrittenToken& token) {
    const auto i = static_cast<size_t>(token.id);
    if (i >= v_.tokens.size()) {
      v_.tokens.resize(i + 1);
      v_.token_types.resize(i + 1, static_cast<int32_t>(TokenType::unused));
    }
    CN_CHECK(v_.tokens[i].empty(), json.place(), ": tokens ", quote(v_.tokens[i]), " and ",
             quote(token.text), " both have id ", token.id);
    v_.tokens[i] = token.text;
    set_type(token.id, TokenType::user_defined);
    ids_.emplace(token.text, token.id);
  }

  // tokenizer_config.json lists the added tokens again, and sometimes more of them.
  void add_listed_tokens() {
    const auto listed = find(tokenizer_config_.all(), "added_tokens_decoder");
    if (!listed) return;
    for (const std::string& id : listed->names()) {
      const JsonValue token = listed->field(id);
      const bool is_number =
          !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == std::string::npos;
      if (!is_number) token.refuse("a token id as its name");
      if (written_.count(token.field("content").text()) > 0) continue;
      const int64_t number = std::stoll(id);
      CN_CHECK(number < count() + kMostPadding, token.place(), ": expected an id below ",
               count() + kMostPadding);
      add_token(token, number);
    }
  }

  // The text of "bos_token" and the like: a string, or an object with its content.
  std::optional<std::string> named_text(const char* name) const {
    for (const SideFile* file : {&tokenizer_config_, &special_tokens_map_}) {
      const auto value = find(file->all(), name);
      if (!value) continue;
      return value->is_text() ? value->text() : value->field("content").text();
    }
    return std::nullopt;
  }

  int32_t named_token(const char* name) const {
    const auto text = named_text(name);
    if (!text) return -1;
    const auto id = ids_.find(*text);
    return id == ids_.end() ? -1 : id->second;
  }

  // A token id, or a list of them; nothing if it is not there.
  std::vector<int32_t> listed_ids(const SideFile& file, const char* name) const {
    std::vector<int32_t> ids;
    std::optional<JsonValue> value = find(file.all(), name);
    const auto inner = find(file.all(), "text_config");
    if (!value && inner) value = find(*inner, name);
    if (!value) return ids;
    const auto add = [&](const JsonValue& id) {
      ids.push_back(static_cast<int32_t>(id.integer(0, embedding_rows() - 1)));
    };
    if (!value->is_list()) {
      add(*value);
    } else {
      for (size_t i = 0; i < value->size(); ++i) add(value->at(i));
    }
    return ids;
  }

  int32_t first_id(const char* name) const {
    for (const SideFile* file : {&generation_config_, &config_}) {
      const auto ids = listed_ids(*file, name);
      if (!ids.empty()) return ids.front();
    }
    return -1;
  }

  void name_tokens() {
    v_.bos = named_token("bos_token");
    v_.eos = named_token("eos_token");
    v_.pad = named_token("pad_token");
    if (v_.bos < 0) v_.bos = first_id("bos_token_id");
    if (v_.eos < 0) v_.eos = first_id("eos_token_id");
    if (v_.unk < 0) v_.unk = named_token("unk_token");
  }

  // What the configuration says counts more than the post-processor, as in transformers.
  void read_bos_and_eos() {
    const auto put = [&](const char* name, int32_t id, const char* token,
                         std::vector<int32_t>* ids) {
      const auto wanted = find(tokenizer_config_.all(), name);
      if (!wanted) return;
      const bool add = wanted->flag();
      CN_CHECK(!add || id >= 0, wanted->place(), ": the model wants its ", token,
               " around a text, but no file names one of the vocabulary");
      const bool there = std::find(ids->begin(), ids->end(), id) != ids->end();
      if (add && !there) *ids = {id};
      if (!add) std::erase(*ids, id);
    };
    put("add_bos_token", v_.bos, "bos_token", &v_.rules->prefix);
    put("add_eos_token", v_.eos, "eos_token", &v_.rules->suffix);
  }

  void read_end_tokens() {
    for (const SideFile* file : {&generation_config_, &config_}) {
      for (const int32_t id : listed_ids(*file, "eos_token_id")) v_.end_tokens.push_back(id);
    }
    std::sort(v_.end_tokens.begin(), v_.end_tokens.end());
    v_.end_tokens.erase(std::unique(v_.end_tokens.begin(), v_.end_tokens.end()),
                        v_.end_tokens.end());
  }

  // Rows of the embedding, at least one per token.
  int64_t embedding_rows() const {
    std::optional<JsonValue> size = find(config_.all(), "vocab_size");
    const auto inner = find(config_.all(), "text_config");
    if (!size && inner) size = find(*inner, "vocab_size");
    const int64_t most = count() + kMostPadding;
    return std::max(count(), size ? size->integer(1, most) : std::min(files_.embedding_rows, most));
  }

  void pad_to_embedding() {
    const auto rows = static_cast<size_t>(embedding_rows());
    v_.tokens.resize(rows);
    v_.token_types.resize(rows, static_cast<int32_t>(TokenType::unused));
  }

  // GPT-2's tokenizer as transformers builds it of these files.
  void read_gpt2_files() {
    const FileText& vocab = files_.vocab;
    CN_CHECK(!vocab.text.empty() && !files_.merges.text.empty(),
             "tokenizer: expected tokenizer.json, or vocab.json and merges.txt, beside the model");
    TokenizerDocument document = read_vocabulary_and_merges(vocab, files_.merges);
    take_tables(document);
    v_.model = "gpt2";
    TextSteps& steps = v_.rules->steps;
    if (flag_or(tokenizer_config_.all(), "add_prefix_space", false))
      steps.behind.push_back({NormalizerStep::Kind::prepend_unless, "", " "});
    steps.splits.push_back({std::string(kGpt2Regex), SplitBehavior::isolated, false});
    for (const char* name : {"bos_token", "eos_token", "unk_token", "pad_token"}) {
      const std::string text = named_text(name).value_or("<|endoftext|>");
      const auto id = ids_.find(text);
      if (id == ids_.end() || !written_.insert(text).second) continue;
      WrittenToken token;
      token.text = text;
      token.id = id->second;
      token.control = true;
      set_type(token.id, TokenType::control);
      v_.rules->written.push_back(std::move(token));
    }
  }

  const TokenizerFiles& files_;
  SideFile tokenizer_config_, special_tokens_map_, generation_config_, config_;
  Vocabulary v_;
  std::unordered_map<std::string, int32_t> ids_;
  std::unordered_set<std::string> written_;  // texts of v_.rules->written
};

}  // namespace

Vocabulary read_tokenizer_json(const TokenizerFiles& files) { return Reader(files).read(); }

}  // namespace colonnade::text
