#include "colonnade/text/tokenizer_json_steps.h"

#include <algorithm>
#include <string>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/text/known_steps.h"
#include "colonnade/text/pieces.h"
#include "colonnade/text/regex_parser.h"

namespace colonnade::text {
namespace {

const std::string& type_of(const JsonValue& json) { return json.field("type").text(); }

[[noreturn]] void refuse_type(const JsonValue& json, std::string_view supported) {
  throw Error(concat(json.place(), ": type ", quote(type_of(json)),
                     " is not supported; supported: ", supported));
}

const std::string& metaspace() {
  static const std::string text = with_metaspaces(" ");
  return text;
}

// {"String": text}; of a regular expression only where it may be one.
std::string literal_pattern(const JsonValue& json) {
  check_known(json, {"String", "Regex"});
  if (!json.has("String")) json.refuse("a \"String\"");
  const std::string& text = json.field("String").text();
  if (text.empty()) json.refuse("a \"String\" that is not empty");
  return text;
}

std::string split_pattern(const JsonValue& json) {
  check_known(json, {"String", "Regex"});
  return json.has("Regex") ? json.field("Regex").text() : regex_of(literal_pattern(json));
}

void add_normalizer(const JsonValue& json, std::vector<NormalizerStep>* steps) {
  using Kind = NormalizerStep::Kind;
  const std::string& type = type_of(json);
  if (type == "Sequence") {
    check_known(json, {"type", "normalizers"});
    const JsonValue list = json.field("normalizers");
    for (size_t i = 0; i < list.size(); ++i) add_normalizer(list.at(i), steps);
  } else if (type == "NFC") {
    check_known(json, {"type"});
    steps->push_back({Kind::nfc, "", ""});
  } else if (type == "Prepend") {
    check_known(json, {"type", "prepend"});
    steps->push_back({Kind::prepend, "", json.field("prepend").text()});
  } else if (type == "Replace") {
    check_known(json, {"type", "pattern", "content"});
    steps->push_back(
        {Kind::replace, literal_pattern(json.field("pattern")), json.field("content").text()});
  } else {
    refuse_type(json, "NFC, Prepend, Replace, Sequence");
  }
}

SplitBehavior behavior_of(const JsonValue& json) {
  static constexpr std::pair<std::string_view, SplitBehavior> kBehaviors[] = {
      {"Removed", SplitBehavior::removed},
      {"Isolated", SplitBehavior::isolated},
      {"MergedWithPrevious", SplitBehavior::merged_with_previous},
      {"MergedWithNext", SplitBehavior::merged_with_next},
      {"Contiguous", SplitBehavior::contiguous}};
  for (const auto& [name, behavior] : kBehaviors) {
    if (json.text() == name) return behavior;
  }
  json.refuse("Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

// always, first or never; older files have a flag in its place.
std::string prepend_scheme(const JsonValue& json) {
  if (!json.has("prepend_scheme"))
    return flag_or(json, "add_prefix_space", true) ? "always" : "never";
  const JsonValue scheme = json.field("prepend_scheme");
  const std::string& text = scheme.text();
  if (text != "always" && text != "first" && text != "never")
    scheme.refuse("always, first or never");
  return text;
}

void check_metaspace(const JsonValue& json) {
  check_known(json,
              {"type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"});
  const JsonValue replacement = json.field("replacement");
  if (replacement.text() != metaspace()) replacement.refuse("U+2581");
}

class PreTokenizerReader {
 public:
  PreTokenizerSteps out;

  void read(const JsonValue& json) {
    const std::string& type = type_of(json);
    CN_CHECK(!out.byte_level, json.place(), ": a step behind ByteLevel is not supported");
    if (type == "Sequence") {
      check_known(json, {"type", "pretokenizers"});
      const JsonValue list = json.field("pretokenizers");
      for (size_t i = 0; i < list.size(); ++i) read(list.at(i));
    } else if (type == "Split") {
      check_known(json, {"type", "pattern", "behavior", "invert"});
      out.splits.push_back({split_pattern(json.field("pattern")),
                            behavior_of(json.field("behavior")), flag_or(json, "invert", false)});
    } else if (type == "Digits") {
      check_known(json, {"type", "individual_digits"});
      const bool each = flag_or(json, "individual_digits", false);
      out.splits.push_back(
          {"\\p{Digits}", each ? SplitBehavior::isolated : SplitBehavior::contiguous, false});
    } else if (type == "ByteLevel") {
      read_byte_level(json);
    } else if (type == "Metaspace") {
      read_metaspace(json);
    } else {
      refuse_type(json, "ByteLevel, Digits, Metaspace, Sequence, Split");
    }
  }

 private:
  void read_byte_level(const JsonValue& json) {
    check_known(json, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (flag_or(json, "add_prefix_space", true))
      change_text(json, NormalizerStep::Kind::prepend_unless, " ");
    if (flag_or(json, "use_regex", true))
      out.splits.push_back({std::string(kGpt2Regex), SplitBehavior::isolated, false});
    out.byte_level = true;
  }

  void read_metaspace(const JsonValue& json) {
    using Kind = NormalizerStep::Kind;
    check_metaspace(json);
    const std::string scheme = prepend_scheme(json);
    out.behind.push_back({Kind::replace, " ", metaspace()});
    if (scheme != "never")
      change_text(json, scheme == "first" ? Kind::prepend_first : Kind::prepend_unless,
                  metaspace());
    if (flag_or(json, "split", true))
      out.splits.push_back({regex_of(metaspace()), SplitBehavior::merged_with_next, false});
  }

  void change_text(const JsonValue& json, NormalizerStep::Kind kind, const std::string& text) {
    CN_CHECK(out.splits.empty(), json.place(),
             ": a space before every word that an earlier step cut is not supported");
    out.behind.push_back({kind, "", text});
  }
};

// Replace, ByteFallback, Fuse, Strip: what SentencePiece's vocabularies need, in this order.
DecoderForm read_decoder_list(const JsonValue& list) {
  const auto is = [&](size_t i, std::string_view type) {
    return i < list.size() && type_of(list.at(i)) == type;
  };
  DecoderForm form;
  if (list.size() == 1) return read_decoder(list.at(0));
  size_t i = 0;
  if (is(i, "Replace")) {
    const JsonValue step = list.at(i++);
    check_known(step, {"type", "pattern", "content"});
    if (literal_pattern(step.field("pattern")) != metaspace() ||
        step.field("content").text() != " ")
      step.refuse("a replacement of U+2581 by a space");
  }
  if (i == 1 && is(i, "ByteFallback")) ++i;
  if (i >= 1 && is(i, "Fuse")) ++i;
  if (i >= 1 && is(i, "Strip")) {
    const JsonValue step = list.at(i++);
    check_known(step, {"type", "content", "start", "stop"});
    if (step.field("content").text() != " ") step.refuse("spaces to be stripped");
    form.strip_first_space = step.field("start").integer(0, 1) == 1;
    step.field("stop").integer(0, 0);
  }
  if (i == 0 || i != list.size())
    list.refuse("Replace, ByteFallback, Fuse and Strip in this order, or one ByteLevel");
  return form;
}

class PostProcessorReader {
 public:
  explicit PostProcessorReader(int64_t tokens) : tokens_(tokens) {}
  AroundText out;

  void read(const JsonValue& json) {
    const std::string& type = type_of(json);
    if (type == "Sequence") {
      check_known(json, {"type", "processors"});
      const JsonValue list = json.field("processors");
      for (size_t i = 0; i < list.size(); ++i) read(list.at(i));
    } else if (type == "ByteLevel") {  // it is about offsets only
      check_known(json, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
    } else if (type == "TemplateProcessing") {
      read_template(json);
    } else if (type == "RobertaProcessing" || type == "BertProcessing") {
      check_known(json, {"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
      add({id_beside_text(json.field("cls"))}, {id_beside_text(json.field("sep"))});
    } else {
      refuse_type(json,
                  "BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing");
    }
  }

 private:
  int32_t id_of(const JsonValue& json) const {
    return static_cast<int32_t>(json.integer(0, tokens_ - 1));
  }

  // ["<s>", 0]
  int32_t id_beside_text(const JsonValue& json) const {
    if (json.size() != 2) json.refuse("a list of a token and its id");
    return id_of(json.at(1));
  }

  // What comes later stands outside of what was there.
  void add(std::vector<int32_t> before, const std::vector<int32_t>& behind) {
    before.insert(before.end(), out.prefix.begin(), out.prefix.end());
    out.prefix = std::move(before);
    out.suffix.insert(out.suffix.end(), behind.begin(), behind.end());
  }

  void read_template(const JsonValue& json) {
    check_known(json, {"type", "single", "pair", "special_tokens"});
    const JsonValue single = json.field("single");
    std::vector<int32_t> before, behind;
    bool seen = false;
    for (size_t i = 0; i < single.size(); ++i) {
      const JsonValue part = single.at(i);
      check_known(part, {"SpecialToken", "Sequence"});
      if (part.has("Sequence")) {
        if (seen) part.refuse("the text once only");
        seen = true;
        continue;
      }
      const JsonValue ids = json.field("special_tokens")
                                .field(part.field("SpecialToken").field("id").text())
                                .field("ids");
      for (size_t k = 0; k < ids.size(); ++k) (seen ? behind : before).push_back(id_of(ids.at(k)));
    }
    if (!seen) single.refuse("a place for the text");
    add(std::move(before), behind);
  }

  int64_t tokens_;
};

}  // namespace

void check_known(const JsonValue& object, std::initializer_list<std::string_view> names) {
  for (const std::string& name : object.names()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string known;
    for (const std::string_view n : names) known.append(known.empty() ? "" : ", ").append(n);
    throw Error(concat(object.place(), ": unknown field ", quote(name), "; known: ", known));
  }
}

std::optional<JsonValue> find(const JsonValue& object, std::string_view name) {
  return object.has(name) ? std::optional(object.field(name)) : std::nullopt;
}

bool flag_or(const JsonValue& object, std::string_view name, bool otherwise) {
  const auto value = find(object, name);
  return value ? value->flag() : otherwise;
}

std::vector<NormalizerStep> read_normalizer(const JsonValue& json) {
  std::vector<NormalizerStep> steps;
  add_normalizer(json, &steps);
  return steps;
}

PreTokenizerSteps read_pre_tokenizer(const JsonValue& json) {
  PreTokenizerReader reader;
  reader.read(json);
  return std::move(reader.out);
}

DecoderForm read_decoder(const JsonValue& json) {
  const std::string& type = type_of(json);
  if (type == "ByteLevel") {
    check_known(json, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
    return {true, false};
  }
  if (type == "Metaspace") {
    check_metaspace(json);
    return {false, prepend_scheme(json) != "never"};
  }
  if (type != "Sequence") refuse_type(json, "ByteLevel, Metaspace, Sequence");
  check_known(json, {"type", "decoders"});
  return read_decoder_list(json.field("decoders"));
}

AroundText read_post_processor(const JsonValue& json, int64_t tokens) {
  PostProcessorReader reader(tokens);
  reader.read(json);
  return std::move(reader.out);
}

}  // namespace colonnade::text
