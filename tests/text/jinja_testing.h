// Renders small templates in the tests of the interpreter's parts. Variables come as JSON and are
// the caller's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/jinja_convert.h"
#include "colonnade/text/jinja_parser.h"
#include "colonnade/text/jinja_render.h"

namespace colonnade::text::jinja {

inline RuntimeOptions test_options() { return {"test", 1'000'000, int64_t{1} << 24, std::nullopt}; }

inline Text render_text(std::string_view source, std::string_view json = "{}",
                        const RuntimeOptions& options = test_options()) {
  const Body body = parse(source, "test");
  Runtime rt(options);
  std::vector<std::pair<std::string, Value>> variables;
  const Value parsed = parse_json(rt, rt.string(json, false));
  for (const auto& [name, value] : as_dict(parsed).entries)
    variables.emplace_back(name.chars(), value);
  return Renderer(rt, std::move(variables)).render(body);
}

inline std::string render(std::string_view source, std::string_view json = "{}") {
  return render_text(source, json).chars();
}

/// The output with what the caller wrote in angle quotes: "a«b»c".
inline std::string marked(std::string_view source, std::string_view json = "{}") {
  std::string out;
  for (const TextSpan& span : render_text(source, json).spans()) {
    out += span.trusted ? span.text : "«" + span.text + "»";
  }
  return out;
}

/// The message of the error that parsing or rendering throws, "" if none.
inline std::string error_of(std::string_view source, std::string_view json = "{}",
                            const RuntimeOptions& options = test_options()) {
  try {
    render_text(source, json, options);
  } catch (const TemplateError& error) {
    return error.what();
  }
  return "";
}

}  // namespace colonnade::text::jinja
