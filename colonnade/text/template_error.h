// What goes wrong with a chat template, and where.
#pragma once

#include <string>
#include <string_view>

#include "colonnade/base/error.h"

namespace colonnade::text {

/// A place in a template; both count from 1, columns in characters.
struct Where {
  int line = 1;
  int column = 1;
};

/// A template that cannot be used, cannot render this conversation, or refuses it.
class TemplateError : public Error {
 public:
  enum class Kind {
    syntax,   // found at construction: bad syntax, or a construct we do not have
    runtime,  // the template did something undefined with these messages
    refused,  // the template called raise_exception: words() is what it said
    limit,    // nesting, steps, memory or output beyond TemplateLimits
  };

  TemplateError(Kind kind, std::string_view title, Where where, const std::string& words)
      : Error(concat(title, ": line ", where.line, ", column ", where.column, ": ", words)),
        kind_(kind),
        where_(where),
        words_(words) {}

  Kind kind() const { return kind_; }
  Where where() const { return where_; }
  /// The message alone, without title and place.
  const std::string& words() const { return words_; }

 private:
  Kind kind_;
  Where where_;
  std::string words_;
};

}  // namespace colonnade::text
