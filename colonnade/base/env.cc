#include "colonnade/base/env.h"

#include <cstdlib>

namespace colonnade {

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

}  // namespace colonnade
