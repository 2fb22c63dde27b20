#include "colonnade/cli/json.h"

#include <nlohmann/json.hpp>

namespace colonnade::cli {

using nlohmann::ordered_json;

std::string to_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string to_page(const ordered_json& value) {
  return value.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace colonnade::cli
