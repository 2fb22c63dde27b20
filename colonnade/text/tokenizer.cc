#include "colonnade/text/tokenizer.h"

#include <algorithm>
#include <iterator>

#include "colonnade/base/error.h"
#include "colonnade/text/bpe.h"
#include "colonnade/text/nfc.h"
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

const Vocabulary& checked(const Vocabulary& vocabulary) {
  check_vocabulary(vocabulary);
  return vocabulary;
}

void check_utf8(std::string_view text) {
  const int64_t bad = first_invalid_utf8(text);
  if (bad < 0) return;
  const int byte = static_cast<uint8_t>(text[static_cast<size_t>(bad)]);
  throw Error(concat("tokenizer: text: expected UTF-8, got byte 0x", std::hex, byte, std::dec,
                     " at byte offset ", bad, " that is not part of a character"));
}

}  // namespace

struct Tokenizer::Impl {
  explicit Impl(const Vocabulary& v);

  bool ends_generation(const Vocabulary& v, int32_t id) const;
  void encode_text(std::string_view text, std::vector<int32_t>* ids) const;
  std::vector<int32_t> encode(std::string_view text, const std::vector<ByteRange>& trusted,
                              AddSpecial add_special) const;

  PreTokenizer pre_tokenizer;
  Pieces pieces;
  SpecialTokens special_tokens;
  Bpe bpe;
  std::vector<int32_t> end_tokens;  // ascending
  int32_t bos, eos, eot, pad;
  bool add_bos, add_eos;
};

Tokenizer::Impl::Impl(const Vocabulary& v)
    : pre_tokenizer(checked(v).pre),
      pieces(v, Spelling::byte_level),
      special_tokens(v),
      bpe(v, pieces,
          pre_tokenizer.rules().whole_words ? WholeWords::at_once : WholeWords::by_merges),
      bos(v.bos),
      eos(v.eos),
      eot(v.eot),
      pad(v.pad),
      add_bos(v.add_bos.value_or(pre_tokenizer.rules().add_bos)),
      add_eos(v.add_eos) {
  for (int32_t id = 0; id < pieces.size(); ++id) {
    if (ends_generation(v, id)) end_tokens.push_back(id);
  }
  CN_CHECK(!add_bos || bos >= 0,
           "tokenizer: the model wants a bos token before a text, but tokenizer.ggml.bos_token_id "
           "is missing");
  CN_CHECK(!add_eos || eos >= 0,
           "tokenizer: the model wants an eos token behind a text, but tokenizer.ggml.eos_token_id "
           "is missing");
}

bool Tokenizer::Impl::ends_generation(const Vocabulary& v, int32_t id) const {
  if (id == v.eos || id == v.eot) return true;
  if (v.type(id) != TokenType::control) return false;
  return std::find(std::begin(kEndTokens), std::end(kEndTokens), pieces.bytes(id)) !=
         std::end(kEndTokens);
}

void Tokenizer::Impl::encode_text(std::string_view text, std::vector<int32_t>* ids) const {
  if (pre_tokenizer.rules().nfc && !is_surely_nfc(text)) {
    const std::string normal = to_nfc(text);
    bpe.encode(pre_tokenizer.split(normal), ids);
  } else {
    bpe.encode(pre_tokenizer.split(text), ids);
  }
}

std::vector<int32_t> Tokenizer::Impl::encode(std::string_view text,
                                             const std::vector<ByteRange>& trusted,
                                             AddSpecial add_special) const {
  check_utf8(text);
  std::vector<int32_t> ids;
  if (add_special == AddSpecial::yes && add_bos) ids.push_back(bos);
  for (const Segment& segment : special_tokens.split(text, trusted)) {
    const ByteRange range = segment.range;
    if (segment.is_text()) {
      encode_text(text.substr(range.begin, range.end - range.begin), &ids);
    } else {
      ids.push_back(segment.token);
    }
  }
  if (add_special == AddSpecial::yes && add_eos) ids.push_back(eos);
  return ids;
}

Tokenizer::Tokenizer(const Vocabulary& vocabulary) : impl_(std::make_unique<Impl>(vocabulary)) {}
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

StreamDecoder Tokenizer::stream_decoder(ControlText control_text) const {
  return StreamDecoder(impl_->pieces, control_text);
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
