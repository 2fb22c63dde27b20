// Cuts text into the words that byte-pair merging never crosses.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace colonnade::text {

/// What the models that name one pre-tokenizer do.
struct PreTokenizerRules {
  std::string_view name;     ///< GGUF's tokenizer.ggml.pre
  bool nfc;                  ///< text is put into normalization form C first
  bool whole_words;          ///< a word that is a token is that token, whatever the merges say
  bool add_bos;              ///< prompts start with the bos token unless the file says otherwise
  std::string_view pattern;  ///< pretokenizer.cc has the syntax
};

/// Splits by the pattern of one pre-tokenizer. Immutable; several threads may use it at once.
class PreTokenizer {
 public:
  /// `name` as in tokenizer.ggml.pre. Throws Error that lists the known names if it is none of
  /// them.
  explicit PreTokenizer(std::string_view name);
  ~PreTokenizer();
  PreTokenizer(const PreTokenizer&) = delete;
  PreTokenizer& operator=(const PreTokenizer&) = delete;

  const PreTokenizerRules& rules() const { return rules_; }

  /// The words of `text`, valid UTF-8, in order; together they are `text`. Time is linear in its
  /// length.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  const PreTokenizerRules& rules_;
  std::unique_ptr<const Pattern> pattern_;
};

}  // namespace colonnade::text
