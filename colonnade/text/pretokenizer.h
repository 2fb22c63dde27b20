// Cuts text into the words that byte-pair merging never crosses.
#pragma once

#include <string_view>
#include <vector>

#include "colonnade/text/split_pattern.h"
#include "colonnade/text/text_steps.h"

namespace colonnade::text {

/// Where matches go.
struct SplitRule {
  SplitBehavior behavior;
  bool invert;
};

/// Cuts by one step after the other. Immutable; several threads may use it at once.
class PreTokenizer {
 public:
  /// Throws Error if a regular expression cannot be read.
  explicit PreTokenizer(const std::vector<SplitStep>& steps);

  /// The words of `text`, valid UTF-8, in order; none is empty. Without steps it is one word.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Step {
    SplitPattern pattern;
    SplitRule rule;
  };
  std::vector<Step> steps_;
};

}  // namespace colonnade::text
