#include "colonnade/text/tokenizer.h"

#include <algorithm>
#include <iterator>

#include "colonnade/base/error.h"
#include "colonnade/text/bpe.h"
#include "colonnade/text/known_steps.h"
#include "colonnade/text/normalizer.h"
#include "colonnade/text/pieces.h"
#include "colonnade/text/pretokenizer.h"
#include "colonnade/text/special_tokens.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

// Control tokens that end a turn or a text in the models that have them, whether or not the file
// names them as eos or eot.
constexpr std::string_view kEndTokens[] = {"<|im_end|>", "<|endoftext|>", "<|eot_id|>",
                                           "<|eom_id|>", "<|end|>",       "<|end_of_text|>",
                                           "</s>",       "<end_of_turn>"};

void check_utf8(std::string_view text) {
  const int64_t bad = first_invalid_utf8(text);
  if (bad < 0) return;
  const int byte = static_cast<uint8_t>(text[static_cast<size_t>(bad)]);
  throw Error(concat("tokenizer: text: expected UTF-8, got byte 0x", std::hex, byte, std::dec,
                     " at byte offset ", bad, " that is not part of a character"));
}

// What of `ranges` lies in `range`, counted from its begin.
std::vector<ByteRange> ranges_within(const std::vector<ByteRange>& ranges, ByteRange range) {
  std::vector<ByteRange> out;
  for (const ByteRange& r : ranges) {
    const size_t begin = std::max(r.begin, range.begin), end = std::min(r.end, range.end);
    if (begin < end) out.push_back({begin - range.begin, end - range.begin});
  }
  return out;
}

// What of a tokenizer does not depend on where its vocabulary comes from.
struct Plan {
  TextSteps steps;
  WholeWords whole_words = WholeWords::by_merges;
  FirstSpace first_space = FirstSpace::keep;
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
};

Plan plan_of_rules(const TokenizerRules& rules) {
  return {rules.steps, rules.whole_words ? WholeWords::at_once : WholeWords::by_merges,
          rules.strip_first_space ? FirstSpace::strip : FirstSpace::keep, rules.prefix,
          rules.suffix};
}

Plan plan_of_gguf(const Vocabulary& v) {
  Plan plan;
  bool add_bos = v.model == "llama";
  if (v.model == "llama") {
    plan.steps = sentencepiece_steps(v.space_prefix);
    if (v.space_prefix) plan.first_space = FirstSpace::strip;
  } else {
    const KnownSteps known = known_steps(v.pre);
    plan.steps = known.steps;
    if (known.whole_words) plan.whole_words = WholeWords::at_once;
    add_bos = known.add_bos;
  }
  if (v.add_bos.value_or(add_bos)) plan.prefix.push_back(v.bos);
  if (v.add_eos) plan.suffix.push_back(v.eos);
  CN_CHECK(plan.prefix.empty() || v.bos >= 0,
           "tokenizer: the model wants a bos token before a text, but tokenizer.ggml.bos_token_id "
           "is missing");
  CN_CHECK(plan.suffix.empty() || v.eos >= 0,
           "tokenizer: the model wants an eos token behind a text, but tokenizer.ggml.eos_token_id "
           "is missing");
  return plan;
}

Plan plan_of(const Vocabulary& v) {
  check_vocabulary(v);
  return v.rules ? plan_of_rules(*v.rules) : plan_of_gguf(v);
}

// The written-out tokens that are looked for behind the normalizer, in its form of them, or the
// others.
std::vector<WrittenToken> chosen_tokens(const Vocabulary& v, const Normalizer& normalizer,
                                        bool normalized) {
  std::vector<WrittenToken> chosen;
  for (WrittenToken& token : written_tokens(v)) {
    if (token.normalized != normalized) continue;
    std::string storage;
    if (normalized) token.text = normalizer.apply(token.text, TextStart::of_text, &storage);
    chosen.push_back(std::move(token));
  }
  return chosen;
}

}  // namespace

struct Tokenizer::Impl {
  Impl(const Vocabulary& v, const Plan& plan);

  bool ends_generation(const Vocabulary& v, int32_t id) const;
  std::vector<int32_t> encode(std::string_view text, const std::vector<ByteRange>& trusted,
                              AddSpecial add_special) const;
  // The text between written-out tokens, and what of it is trusted.
  void encode_text(std::string_view text, TextStart start, std::vector<ByteRange> trusted,
                   std::vector<int32_t>* ids) const;
  // The same behind the normalizer and between all written-out tokens.
  void encode_words(std::string_view text, TextStart start, std::vector<int32_t>* ids) const;

  Pieces pieces;
  std::optional<Pieces> written;  // how `bpe` spells them, if that is otherwise
  Normalizer normalizer;
  Normalizer behind;
  PreTokenizer pre_tokenizer;
  SpecialTokens special_tokens;
  SpecialTokens normalized_tokens;
  Bpe bpe;
  FirstSpace first_space;
  std::vector<int32_t> end_tokens;  // ascending
  std::vector<int32_t> prefix, suffix;
  int32_t bos, eos, eot, pad;
};

Tokenizer::Impl::Impl(const Vocabulary& v, const Plan& plan)
    : pieces(v, v.model == "llama" ? Spelling::metaspace : Spelling::byte_level),
      written(v.model == "llama" ? std::optional<Pieces>(std::in_place, v, Spelling::as_written)
                                 : std::nullopt),
      normalizer(plan.steps.normalizer),
      behind(plan.steps.behind),
      pre_tokenizer(plan.steps.splits),
      special_tokens(chosen_tokens(v, normalizer, false)),
      normalized_tokens(chosen_tokens(v, normalizer, true)),
      bpe(v, written ? *written : pieces, plan.whole_words),
      first_space(plan.first_space),
      prefix(plan.prefix),
      suffix(plan.suffix),
      bos(v.bos),
      eos(v.eos),
      eot(v.eot),
      pad(v.pad) {
  for (int32_t id = 0; id < pieces.size(); ++id) {
    if (ends_generation(v, id)) end_tokens.push_back(id);
  }
}

bool Tokenizer::Impl::ends_generation(const Vocabulary& v, int32_t id) const {
  if (id == v.eos || id == v.eot) return true;
  if (std::find(v.end_tokens.begin(), v.end_tokens.end(), id) != v.end_tokens.end()) return true;
  if (v.type(id) != TokenType::control) return false;
  return std::find(std::begin(kEndTokens), std::end(kEndTokens), pieces.bytes(id)) !=
         std::end(kEndTokens);
}

void Tokenizer::Impl::encode_words(std::string_view text, TextStart start,
                                   std::vector<int32_t>* ids) const {
  std::string storage;
  bpe.encode(pre_tokenizer.split(behind.apply(text, start, &storage)), ids);
}

void Tokenizer::Impl::encode_text(std::string_view text, TextStart start,
                                  std::vector<ByteRange> trusted, std::vector<int32_t>* ids) const {
  std::string storage;
  if (normalized_tokens.empty()) {
    encode_words(normalizer.apply(text, start, &storage), start, ids);
    return;
  }
  const std::string_view normal = normalizer.apply(text, start, &storage, &trusted);
  for (const Segment& segment : normalized_tokens.split(normal, trusted)) {
    const ByteRange range = segment.range;
    if (!segment.is_text()) {
      ids->push_back(segment.token);
      continue;
    }
    encode_words(normal.substr(range.begin, range.end - range.begin),
                 range.begin == 0 ? start : TextStart::behind_text, ids);
  }
}

std::vector<int32_t> Tokenizer::Impl::encode(std::string_view text,
                                             const std::vector<ByteRange>& trusted,
                                             AddSpecial add_special) const {
  check_utf8(text);
  std::vector<int32_t> ids;
  if (add_special == AddSpecial::yes) ids = prefix;
  for (const Segment& segment : special_tokens.split(text, trusted)) {
    const ByteRange range = segment.range;
    if (segment.is_text()) {
      encode_text(text.substr(range.begin, range.end - range.begin),
                  range.begin == 0 ? TextStart::of_text : TextStart::behind_text,
                  ranges_within(trusted, range), &ids);
    } else {
      ids.push_back(segment.token);
    }
  }
  if (add_special == AddSpecial::yes) ids.insert(ids.end(), suffix.begin(), suffix.end());
  return ids;
}

Tokenizer::Tokenizer(const Vocabulary& vocabulary)
    : impl_(std::make_unique<Impl>(vocabulary, plan_of(vocabulary))) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<int32_t> Tokenizer::encode(std::span<const TextSpan> spans,
                                       AddSpecial add_special) const {
  std::string text;
  std::vector<ByteRange> trusted;
  for (const TextSpan& span : spans) {
    const ByteRange range{text.size(), text.size() + span.text.size()};
    text += span.text;
    if (!span.trusted || span.text.empty()) continue;
    if (!trusted.empty() && trusted.back().end == range.begin) {
      trusted.back().end = range.end;
    } else {
      trusted.push_back(range);
    }
  }
  return impl_->encode(text, trusted, add_special);
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, ParseSpecial parse_special,
                                       AddSpecial add_special) const {
  std::vector<ByteRange> trusted;
  if (parse_special == ParseSpecial::yes) trusted.push_back({0, text.size()});
  return impl_->encode(text, trusted, add_special);
}

std::string Tokenizer::decode(std::span<const int32_t> ids, ControlText control_text) const {
  StreamDecoder decoder = stream_decoder(control_text);
  std::string text;
  for (const int32_t id : ids) text += decoder.push(id);
  return text;
}

StreamDecoder Tokenizer::stream_decoder(ControlText control_text, TextStart start) const {
  return StreamDecoder(impl_->pieces, control_text,
                       start == TextStart::of_text ? impl_->first_space : FirstSpace::keep);
}

std::string_view Tokenizer::token_text(int32_t id) const { return impl_->pieces.bytes(id); }

std::optional<int32_t> Tokenizer::token_id(std::string_view text) const {
  const std::vector<Segment> found = impl_->special_tokens.split(text, {{0, text.size()}});
  if (found.size() == 1 && !found[0].is_text()) return found[0].token;
  return impl_->bpe.token_of(text);
}

bool Tokenizer::is_control(int32_t id) const { return impl_->pieces.is_control(id); }

bool Tokenizer::is_end_of_generation(int32_t id) const {
  impl_->pieces.bytes(id);
  return std::binary_search(impl_->end_tokens.begin(), impl_->end_tokens.end(), id);
}

int64_t Tokenizer::vocab_size() const { return impl_->pieces.size(); }
int32_t Tokenizer::bos() const { return impl_->bos; }
int32_t Tokenizer::eos() const { return impl_->eos; }
int32_t Tokenizer::eot() const { return impl_->eot; }
int32_t Tokenizer::pad() const { return impl_->pad; }

}  // namespace colonnade::text
