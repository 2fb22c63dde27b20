// Reads a template into its tree. What we do not have is refused here, with line and column.
#pragma once

#include <string_view>

#include "colonnade/text/jinja_ast.h"

namespace colonnade::text::jinja {

/// Deepest nesting of statements and expressions that a template may have.
constexpr int kMaxNesting = 150;

/// The statements of `source`. `title` names the template in errors. Throws TemplateError (syntax
/// or limit). Source: Jinja 3.1, "Template Designer Documentation"; precedence as in its grammar
/// (unary minus binds tighter than **).
Body parse(std::string_view source, std::string_view title);

}  // namespace colonnade::text::jinja
