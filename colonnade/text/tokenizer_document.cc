#include "colonnade/text/tokenizer_document.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>
#include <simdjson.h>

#include "colonnade/base/error.h"
#include "colonnade/base/json.h"
#include "colonnade/base/quote.h"
#include "colonnade/text/pieces.h"
#include "colonnade/text/token_table.h"

namespace colonnade::text {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// Ids of a table may leave out some; a short file cannot ask for a long list.
constexpr uint64_t kMostGaps = 1 << 16;

// nlohmann's parser is slower, but says where the mistake is.
[[noreturn]] void refuse_json(const FileText& file, simdjson::error_code error) {
  parse_json(file.text, file.name);
  throw Error(
      concat(file.name, ": cannot be read as JSON: ", quote(simdjson::error_message(error))));
}

// Its strings live as long as `parser`.
object parse_object(const FileText& file, simdjson::dom::parser& parser) {
  auto error = parser.allocate(file.text.size(), kMostJsonDepth + 1);
  if (error) refuse_json(file, error);
  element root;
  error = parser.parse(file.text.data(), file.text.size()).get(root);
  if (error) refuse_json(file, error);
  object all;
  CN_CHECK(!root.get(all), file.name, ": expected a JSON object");
  return all;
}

std::vector<std::string> read_vocabulary(const object& table, const std::string& place) {
  std::vector<std::string> tokens;
  std::vector<bool> taken;
  const uint64_t most = uint64_t{table.size()} + kMostGaps;
  for (const auto field : table) {
    uint64_t id = 0;
    CN_CHECK(!field.value.get(id) && id < most, place, ": token ", quote(field.key),
             ": expected an id from 0 to ", most - 1, ", got ",
             quote(std::string(simdjson::minify(field.value))));
    if (id >= tokens.size()) {
      tokens.resize(id + 1);
      taken.resize(id + 1);
    }
    CN_CHECK(!taken[id], place, ": tokens ", quote(tokens[id]), " and ", quote(field.key),
             " both have id ", id);
    taken[id] = true;
    tokens[id] = field.key;
  }
  CN_CHECK(!tokens.empty(), place, ": expected at least one token");
  return tokens;
}

// Turns pairs of texts into merges of tokens.
class MergeReader {
 public:
  MergeReader(const std::vector<std::string>& tokens, std::string place)
      : pieces_(tokens), table_(pieces_), place_(std::move(place)) {
    for (int32_t id = 0; id < pieces_.size(); ++id) {
      if (pieces_.bytes(id).empty()) continue;
      const int32_t other = table_.insert(id);
      CN_CHECK(other < 0, place_, ": tokens ", other, " and ", id, " are both ",
               quote(pieces_.bytes(id)));
    }
  }

  void reserve(size_t merges) { merges_.reserve(merges); }

  void add(std::string_view left, std::string_view right) {
    both_.assign(left).append(right);
    merges_.push_back({find(left), find(right), find(both_)});
  }

  // "left right"
  void add(std::string_view text) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
      refuse(concat("expected two tokens and one space between them, got ", quote(text)));
    add(text.substr(0, space), text.substr(space + 1));
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(concat(place_, "[", merges_.size(), "]: ", what));
  }

  std::vector<TokenMerge> take() { return std::move(merges_); }

 private:
  int32_t find(std::string_view text) const {
    const int32_t id = table_.find(text);
    if (id < 0) refuse(concat(quote(text), " is not in the vocabulary"));
    return id;
  }

  Pieces pieces_;
  TokenTable table_;
  std::string place_;
  std::string both_;
  std::vector<TokenMerge> merges_;
};

void read_merge(const element& item, MergeReader& reader) {
  std::string_view left, right;
  array pair;
  if (!item.get(left)) return reader.add(left);
  const bool good =
      !item.get(pair) && pair.size() == 2 && !pair.at(0).get(left) && !pair.at(1).get(right);
  if (!good) reader.refuse("expected \"left right\" or [\"left\", \"right\"]");
  reader.add(left, right);
}

void append_field(std::string_view name, const std::string& value, std::string* json) {
  if (json->back() != '{') *json += ',';
  *json += nlohmann::json(name).dump() + ':' + value;
}

void read_model(const FileText& file, const object& model, TokenizerDocument* out) {
  object vocab;
  array merges;
  std::string_view type;
  bool has_vocab = false, has_merges = false;
  std::string rest = "{";
  for (const auto field : model) {
    if (field.key == "type" && !field.value.get(type)) {
      CN_CHECK(type == "BPE", file.name, ": model.type ", quote(type),
               " is not supported; supported: BPE");
    }
    if (field.key == "vocab" && !has_vocab) {
      CN_CHECK(!field.value.get(vocab), file.name,
               ": model.vocab: expected an object of tokens and their ids, as BPE has");
      has_vocab = true;
    } else if (field.key == "merges" && !has_merges) {
      CN_CHECK(!field.value.get(merges), file.name, ": model.merges: expected a list");
      has_merges = true;
    } else {
      append_field(field.key, simdjson::minify(field.value), &rest);
    }
  }
  CN_CHECK(has_vocab, file.name, ": model: field 'vocab' is missing");
  CN_CHECK(has_merges, file.name, ": model: field 'merges' is missing");
  out->tokens = read_vocabulary(vocab, file.name + ": model.vocab");
  MergeReader reader(out->tokens, file.name + ": model.merges");
  reader.reserve(merges.size());
  for (const element item : merges) read_merge(item, reader);
  out->merges = reader.take();
  append_field("model", rest + '}', &out->rest);
}

}  // namespace

TokenizerDocument read_tokenizer_document(const FileText& file) {
  simdjson::dom::parser parser;
  TokenizerDocument out;
  out.rest = "{";
  bool has_model = false;
  for (const auto field : parse_object(file, parser)) {
    object model;
    if (field.key != "model") {
      append_field(field.key, simdjson::minify(field.value), &out.rest);
      continue;
    }
    CN_CHECK(!has_model, file.name, ": field 'model' stands twice in one object");
    CN_CHECK(!field.value.get(model), file.name, ": model: expected an object");
    has_model = true;
    read_model(file, model, &out);
  }
  CN_CHECK(has_model, file.name, ": field 'model' is missing");
  out.rest += '}';
  return out;
}

TokenizerDocument read_vocabulary_and_merges(const FileText& vocab, const FileText& merges) {
  simdjson::dom::parser parser;
  TokenizerDocument out;
  out.tokens = read_vocabulary(parse_object(vocab, parser), vocab.name);
  MergeReader reader(out.tokens, merges.name + ": merge ");
  std::string_view rest = merges.text;
  for (bool first = true; !rest.empty(); first = false) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_version = first && line.starts_with("#version");
    if (!is_version && !line.empty()) reader.add(line);
  }
  out.merges = reader.take();
  return out;
}

}  // namespace colonnade::text
