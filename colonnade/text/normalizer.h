// Changes text before it is cut into words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/special_tokens.h"
#include "colonnade/text/text_steps.h"

namespace colonnade::text {

/// Whether a text begins here or goes on.
enum class TextStart { of_text, behind_text };

/// Applies steps in order. Immutable.
class Normalizer {
 public:
  explicit Normalizer(std::vector<NormalizerStep> steps);

  bool is_identity() const { return steps_.empty(); }

  /// `text`, valid UTF-8, changed; the result is `text` itself, or lies in `*storage`. `*ranges`,
  /// if not null, are ascending ranges of `text` and become what is left of them in the result;
  /// where a change hides what came from where, they become fewer.
  std::string_view apply(std::string_view text, TextStart start, std::string* storage,
                         std::vector<ByteRange>* ranges = nullptr) const;

 private:
  std::vector<NormalizerStep> steps_;
};

}  // namespace colonnade::text
