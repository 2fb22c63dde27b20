// The kinds of small models that the law of bits is tested on.
#pragma once

#include <vector>

#include "tests/support/tiny_model.h"

namespace colonnade::test {

struct TinyKind {
  const char* name;
  TinyShape shape;
};

/// Every family, head counts that nothing divides, heads that cut groups, mixtures of types.
std::vector<TinyKind> tiny_kinds();

}  // namespace colonnade::test
