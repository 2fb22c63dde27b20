// Python's two ways to fill a format: "%s" % x and "{}".format(x).
#pragma once

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

/// format % arguments; a tuple is several arguments, a dict is named ones.
Value format_percent(Runtime& rt, const Value& format, const Value& arguments);

/// format.format(args).
Value format_braces(Runtime& rt, const Value& format, const Args& args);

}  // namespace colonnade::text::jinja
