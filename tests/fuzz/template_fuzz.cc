// Any bytes as a chat template: it may be refused, at construction or while it renders, but not
// crash, hang or take more memory than its limits.
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
    {"role": "user", "content": "a\nb  c \u00e9"},
    {"role": "assistant", "content": "<think>\nt</think>\n\nx",
     "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"k": [1, 2.5, null, true, "v"]}}}]},
    {"role": "tool", "content": "{\"r\": 1}"}])");
  return made;
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
    for (const TextSpan& span : parsed.render(messages(), input)) bytes += span.text.size();
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
