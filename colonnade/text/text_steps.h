// What is done to text before byte-pair merging, as plain data.
#pragma once

#include <string>
#include <vector>

namespace colonnade::text {

/// One change of text.
struct NormalizerStep {
  enum class Kind {
    nfc,             ///< into Unicode normalization form C
    replace,         ///< every `from` by `to`
    prepend,         ///< `to` before text that is not empty
    prepend_unless,  ///< the same unless it begins with `to`
    prepend_first    ///< as prepend_unless, but only where the whole text begins
  };
  Kind kind = Kind::nfc;
  std::string from;
  std::string to;

  bool operator==(const NormalizerStep&) const = default;
};

/// Where the matches of a pattern go when text is cut at them.
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// One cut of text into words; the next step cuts each of these.
struct SplitStep {
  std::string regex;  ///< of regex_parser.h
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;  ///< what lies between the matches counts as the matches

  bool operator==(const SplitStep&) const = default;
};

/// In this order. Source: Hugging Face `tokenizers`, "The tokenization pipeline".
struct TextSteps {
  std::vector<NormalizerStep> normalizer;  ///< of text between written-out tokens
  std::vector<NormalizerStep> behind;      ///< once more, behind the search for normalized ones
  std::vector<SplitStep> splits;

  bool operator==(const TextSteps&) const = default;
};

}  // namespace colonnade::text
