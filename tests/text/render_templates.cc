// Renders templates for random_templates_test.py. Standard input: {"variables": {..}, "sources":
// [..]}; standard output: one line of JSON per source: {"output": ..}, {"raised": ..} or {"error":
// ..}.
#include <iostream>

#include <nlohmann/json.hpp>

#include "colonnade/text/chat_template.h"

namespace colonnade::text {
namespace {

using Json = nlohmann::ordered_json;

Json outcome(const std::string& source, const Json& variables) {
  ChatInput input;
  input.extra = &variables;
  try {
    std::string text;
    for (const TextSpan& span : ChatTemplate(source).render(Json::array(), input))
      text += span.text;
    return {{"output", text}};
  } catch (const TemplateError& error) {
    if (error.kind() == TemplateError::Kind::refused) return {{"raised", error.words()}};
    return {{"error", error.what()}};
  }
}

}  // namespace
}  // namespace colonnade::text

int main() {
  using colonnade::text::Json;
  const Json work = Json::parse(std::cin);
  for (const Json& source : work.at("sources")) {
    std::cout << colonnade::text::outcome(source.get<std::string>(), work.at("variables")).dump()
              << '\n';
  }
}
