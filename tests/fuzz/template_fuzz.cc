// Any bytes as a chat template: it may be refused, at construction or while it renders, but not
// crash, hang, take more memory than its limits, or pass the user's text off as its own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "colonnade/text/chat_template.h"

namespace colonnade::text {
namespace {

using Json = nlohmann::ordered_json;

const Json& messages() {
  static const Json made = Json::parse(R"([
    {"role": "system", "content": " be <b> "},
    {"role": "user", "content": "a\nb\u2603  c \u00e9"},
    {"role": "assistant", "content": "<think>\nt</think>\n\nx",
     "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"k": [1, 2.5, null, true, "v"]}}}]},
    {"role": "tool", "content": "{\"r\": 1}"}])");
  return made;
}

// A character of the user's that no template writes by chance.
constexpr std::string_view kMarker = "\u2603";

// A template that spells the marker, by itself or as an escape or a number, may of course write it.
bool can_make_marker(std::string_view source) {
  return source.find_first_of("\\\xE2\x98\x83") != std::string_view::npos ||
         source.find("%c") != std::string_view::npos;
}

void render(std::string_view source) {
  const Json tools =
      Json::parse(R"([{"type": "function", "function": {"name": "f", "parameters": {"p": {}}}}])");
  ChatInput input;
  input.tools = &tools;
  input.bos_token = "<s>";
  input.now.emplace();
  input.limits.steps = 100'000;
  input.limits.memory_bytes = 16 << 20;
  try {
    const ChatTemplate parsed(source);
    size_t bytes = 0;
    for (const TextSpan& span : parsed.render(messages(), input)) {
      bytes += span.text.size();
      if (span.trusted && !can_make_marker(source) && span.text.find(kMarker) != std::string::npos)
        std::abort();
    }
    if (bytes > (16 << 20)) std::abort();
  } catch (const TemplateError&) {
  }
}

}  // namespace
}  // namespace colonnade::text

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  colonnade::text::render({reinterpret_cast<const char*>(data), size});
  return 0;
}
