#include "colonnade/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace colonnade {

void assertion_failed(const char* condition, const char* file, int line,
                      const std::string& message) {
  std::fprintf(stderr, "colonnade: internal error: %s:%d: %s: %s\n", file, line, condition,
               message.c_str());
  std::abort();
}

}  // namespace colonnade
