// Reads the regular expressions of tokenizers, Ruby's syntax, into sets of characters and the
// structure around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/code_point_set.h"

namespace colonnade::text {

/// A part of an expression: a set of characters, or what stands between two, in PCRE2's syntax.
struct RegexPart {
  std::string text;
  int set = -1;  ///< index in ParsedRegex::sets; -1: `text`
};

struct ParsedRegex {
  std::vector<CodePointSet> sets;  ///< no two are equal
  std::vector<RegexPart> parts;
};

/// Knows alternatives, groups, (?i:...), look-ahead and look-behind, greedy, lazy and possessive
/// repeats, classes within classes, \p{general category} and the usual escapes. Throws Error that
/// names the place of anything else. Source: Oniguruma, doc/RE, syntax of Ruby.
ParsedRegex parse_regex(std::string_view pattern);

/// A pattern that matches `text` alone.
std::string regex_of(std::string_view text);

}  // namespace colonnade::text
