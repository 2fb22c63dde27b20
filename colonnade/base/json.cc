#include "colonnade/base/json.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

using nlohmann::json;

/// Watches a parser: what it throws ends the parse.
class Guard {
 public:
  explicit Guard(std::string_view where) : where_(where) {}

  bool operator()(int depth, json::parse_event_t event, const json& value) {
    CN_CHECK(depth <= kMostJsonDepth, where_, ": expected JSON that nests at most ", kMostJsonDepth,
             " levels deep");
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      CN_CHECK(keys_.back().insert(key).second, where_, ": field ", quote(key),
               " stands twice in one object");
    }
    return true;
  }

 private:
  std::string_view where_;
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

}  // namespace

json parse_json(std::string_view text, std::string_view where) {
  try {
    Guard guard(where);
    return json::parse(text, std::ref(guard));
  } catch (const json::parse_error& error) {
    const size_t at = std::min(error.byte, text.size());
    const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
    throw Error(concat(where, ": expected JSON, but line ", lines + 1, ", byte ", error.byte,
                       " of the file fits none"));
  } catch (const json::exception& error) {
    throw Error(concat(where, ": cannot be read as JSON: ", quote(error.what())));
  }
}

}  // namespace colonnade
