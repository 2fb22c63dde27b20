// What jinja2 renders in the environment of transformers, made by tools/make_template_golden.py.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/text/chat_template.h"

namespace colonnade::text {
namespace {

using Json = nlohmann::ordered_json;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

const Json& golden() {
  static const Json loaded = Json::parse(read_file(COLONNADE_TEST_DATA "/chat_templates.json"));
  return loaded;
}

std::tm golden_time() {
  std::tm now{};  // 2024-07-26 09:05:03, a Friday
  now.tm_year = 124;
  now.tm_mon = 6;
  now.tm_mday = 26;
  now.tm_hour = 9;
  now.tm_min = 5;
  now.tm_sec = 3;
  now.tm_wday = 5;
  now.tm_yday = 207;
  return now;
}

std::string joined(const std::vector<TextSpan>& spans) {
  std::string text;
  for (const TextSpan& span : spans) text += span.text;
  return text;
}

// {"output": ..}, {"raised": ..} or {"error": ..}, as the golden file has it.
Json outcome(const std::string& source, const Json& messages, const ChatInput& input) {
  try {
    return {{"output", joined(ChatTemplate(source).render(messages, input))}};
  } catch (const TemplateError& error) {
    if (error.kind() == TemplateError::Kind::refused) return {{"raised", error.words()}};
    return {{"error", error.what()}};
  }
}

// Errors agree if both fail: the words are ours.
void expect_same(const Json& wanted, const Json& got, const std::string& source) {
  if (wanted.contains("error")) {
    EXPECT_TRUE(got.contains("error"))
        << source << "\n  wanted " << wanted.dump() << "\n  got    " << got.dump();
  } else {
    for (const char* key : {"output", "raised"}) {
      if (!wanted.contains(key)) continue;
      EXPECT_TRUE(got.contains(key) && got[key] == wanted[key])
          << source << "\n  wanted " << wanted.dump() << "\n  got    " << got.dump();
    }
  }
}

Json conversation_outcome(const std::string& source, const Json& conversation) {
  ChatInput input;
  if (conversation.contains("tools")) input.tools = &conversation["tools"];
  if (conversation.contains("extra")) input.extra = &conversation["extra"];
  input.add_generation_prompt = conversation.value("add_generation_prompt", true);
  input.bos_token = "<s>";
  input.eos_token = "</s>";
  input.now = golden_time();
  return outcome(source, conversation["messages"], input);
}

Json program_outcome(const std::string& source) {
  ChatInput input;
  input.extra = &golden()["variables"];
  input.now = golden_time();
  return outcome(source, Json::array(), input);
}

TEST(ChatTemplateGolden, FormsOfTheKnownFamiliesRenderAsInJinja2) {
  for (const Json& entry : golden()["templates"]) {
    const auto file = entry["file"].get<std::string>();
    const std::string source = read_file(COLONNADE_TEST_DATA "/templates/" + file);
    for (const auto& [name, wanted] : entry["results"].items()) {
      if (name == "an image")
        continue;  // refused whatever the template does: see ChatTemplate's own test
      expect_same(wanted, conversation_outcome(source, golden()["conversations"][name]),
                  file + ", " + name);
    }
  }
}

TEST(ChatTemplateGolden, EveryConstructRendersAsInJinja2) {
  for (const Json& entry : golden()["snippets"]) {
    const auto source = entry["source"].get<std::string>();
    expect_same(entry, program_outcome(source), source);
  }
}

TEST(ChatTemplateGolden, RandomProgramsRenderAsInJinja2) {
  for (const Json& entry : golden()["programs"]) {
    const auto source = entry["source"].get<std::string>();
    expect_same(entry, program_outcome(source), source);
  }
}

}  // namespace
}  // namespace colonnade::text
