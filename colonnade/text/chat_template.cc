#include "colonnade/text/chat_template.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "colonnade/text/jinja_convert.h"
#include "colonnade/text/jinja_parser.h"
#include "colonnade/text/jinja_render.h"

namespace colonnade::text {
namespace {

using Json = nlohmann::ordered_json;
using jinja::Runtime;
using jinja::Value;

// Templates write '<|' + message.role + '|>': with one of these words that is the template's
// intent. Any other role is the caller's text.
bool is_known_role(std::string_view role) {
  constexpr std::string_view kRoles[] = {"user",      "assistant", "system", "tool",
                                         "developer", "function",  "ipython"};
  return std::find(std::begin(kRoles), std::end(kRoles), role) != std::end(kRoles);
}

// Messages may have their content in parts. Of these only text means something to a language model.
void check_parts(Runtime& rt, const Value& content, size_t message) {
  if (!content.is(jinja::Kind::list)) return;
  const std::vector<Value>& parts = jinja::as_list(content).items;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Value* type =
        parts[i].is(jinja::Kind::dict) ? jinja::as_dict(parts[i]).find("stype") : nullptr;
    if (type == nullptr || !type->is(jinja::Kind::string) || type->chars() == "text") continue;
    rt.fail(concat("messages[", message, "].content[", i,
                   "]: expected a part of type 'text', got '", type->chars(),
                   "': this engine reads text only"));
  }
}

Value message_values(Runtime& rt, const Json& messages) {
  Value made = jinja::from_json(rt, messages);
  if (!made.is(jinja::Kind::list)) rt.fail("messages: expected an array");
  const std::vector<Value>& items = jinja::as_list(made).items;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is(jinja::Kind::dict)) rt.fail(concat("messages[", i, "]: expected an object"));
    jinja::Dict& message = jinja::as_dict(items[i]);
    if (const Value* content = message.find("scontent")) check_parts(rt, *content, i);
    const Value* role = message.find("srole");
    if (role == nullptr || !role->is(jinja::Kind::string) || !is_known_role(role->chars()))
      continue;
    const std::string word = role->chars();
    message.set("srole", {}, rt.string(word, true));
  }
  return made;
}

using Variables = std::vector<std::pair<std::string, Value>>;

void set_variable(Variables& variables, const std::string& name, const Value& value) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const auto& v) { return v.first == name; });
  if (found != variables.end()) {
    found->second = value;
  } else {
    variables.emplace_back(name, value);
  }
}

Variables variables_of(Runtime& rt, const Json& messages, const ChatInput& input) {
  Variables variables;
  variables.emplace_back("messages", message_values(rt, messages));
  variables.emplace_back(
      "tools", input.tools != nullptr ? jinja::from_json(rt, *input.tools) : jinja::make_none());
  variables.emplace_back("documents", jinja::make_none());
  variables.emplace_back("add_generation_prompt",
                         jinja::make_boolean(input.add_generation_prompt, false));
  variables.emplace_back("bos_token", rt.string(input.bos_token, true));
  variables.emplace_back("eos_token", rt.string(input.eos_token, true));
  if (input.extra != nullptr) {
    if (!input.extra->is_object()) rt.fail("extra template variables: expected an object");
    for (const auto& [name, value] : input.extra->items()) {
      set_variable(variables, name, jinja::from_json(rt, value));
    }
  }
  return variables;
}

}  // namespace

struct ChatTemplate::Program {
  std::string name;
  jinja::Body body;
};

ChatTemplate::ChatTemplate(std::string_view source, std::string_view name) {
  auto program = std::make_shared<Program>();
  program->name = name;
  program->body = jinja::parse(source, program->name);
  program_ = std::move(program);
}

std::vector<TextSpan> ChatTemplate::render(const Json& messages, const ChatInput& input) const {
  Runtime rt({program_->name, input.limits.steps, input.limits.memory_bytes, input.now});
  jinja::Renderer renderer(rt, variables_of(rt, messages, input));
  return renderer.render(program_->body).spans();
}

std::vector<TextSpan> ChatTemplate::render(const std::vector<ChatMessage>& messages,
                                           const ChatInput& input) const {
  Json json = Json::array();
  for (const ChatMessage& message : messages)
    json.push_back({{"role", message.role}, {"content", message.content}});
  return render(json, input);
}

}  // namespace colonnade::text
