// Environment variables. Nothing else in the library reads them.
#pragma once

#include <optional>
#include <string>

namespace colonnade {

/// The value of `name`; nothing when it is unset or empty.
std::optional<std::string> environment_variable(const char* name);

}  // namespace colonnade
