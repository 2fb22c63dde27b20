// Tables of methods, by type; each ends with an entry without a name.
#pragma once

#include "colonnade/text/jinja_builtins.h"

namespace colonnade::text::jinja {

extern const Builtin kStringMethods[];
extern const Builtin kListMethods[];
extern const Builtin kTupleMethods[];
extern const Builtin kDictMethods[];
extern const Builtin kLoopMethods[];

}  // namespace colonnade::text::jinja
