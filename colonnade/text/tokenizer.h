// From text to token ids and back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/detokenizer.h"
#include "colonnade/text/normalizer.h"
#include "colonnade/text/text_span.h"
#include "colonnade/text/vocabulary.h"

namespace colonnade::text {

/// Whether control tokens that are written out in a text ("<|im_end|>") are taken for tokens or for
/// ordinary characters.
enum class ParseSpecial { yes, no };

/// Whether the bos and eos tokens are put around the text where the vocabulary says so. A chat
/// template writes its own.
enum class AddSpecial { yes, no };

/// The tokenizer of one model: gives the ids that Hugging Face `tokenizers` gives. Immutable after
/// construction; all of it may be used by several threads at once.
class Tokenizer {
 public:
  /// Throws Error that says what is wrong with `vocabulary`, or what is supported if its model or
  /// pre-tokenizer is not.
  explicit Tokenizer(const Vocabulary& vocabulary);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// The ids of the spans, taken as one text. Control tokens are found in trusted text only,
  /// user-defined tokens everywhere. Throws Error with the byte offset if the text is not UTF-8.
  std::vector<int32_t> encode(std::span<const TextSpan> spans, AddSpecial add_special) const;

  /// The ids of `text`. Throws Error with the byte offset if it is not UTF-8.
  std::vector<int32_t> encode(std::string_view text, ParseSpecial parse_special,
                              AddSpecial add_special) const;

  /// The text of `ids`: what a StreamDecoder gives out for them. Throws Error if one is not a
  /// token.
  std::string decode(std::span<const int32_t> ids,
                     ControlText control_text = ControlText::skip) const;

  /// A decoder for one stream of tokens; the tokenizer must outlive it. Behind a text it keeps a
  /// first space that at its beginning is none of the text.
  StreamDecoder stream_decoder(ControlText control_text = ControlText::skip,
                               TextStart start = TextStart::of_text) const;

  /// The bytes that token `id` stands for, perhaps a part of a character only. Throws Error if it
  /// is not a token.
  std::string_view token_text(int32_t id) const;

  /// The token that is written `text`: control and user-defined tokens by their own text, normal
  /// ones by their bytes.
  std::optional<int32_t> token_id(std::string_view text) const;

  /// True for tokens that are no part of the text. Throws Error if `id` is not a token.
  bool is_control(int32_t id) const;

  /// True for tokens that end a turn or a text: eos, eot, and control tokens known to, as
  /// <|im_end|>. Throws Error if `id` is not a token.
  bool is_end_of_generation(int32_t id) const;

  /// V.
  int64_t vocab_size() const;

  /// -1 where the model has none.
  int32_t bos() const;
  int32_t eos() const;
  int32_t eot() const;
  int32_t pad() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace colonnade::text
