// Random expressions over one template string and one caller's string: no character of the caller
// becomes trusted.
#include <algorithm>

#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace colonnade::text::jinja {
namespace {

// The template writes small letters and digits only; the caller writes only these, whatever happens
// to their case.
constexpr std::string_view kCallers = "<|>QXZ qxz";

std::string caller_text() {
  return *rc::gen::container<std::string>(rc::gen::elementOf(std::string("<|>QXZ ")));
}

// @ is the expression so far.
const std::vector<std::string> kOperations = {"@|upper",
                                              "@|lower",
                                              "@|title",
                                              "@|capitalize",
                                              "@|trim",
                                              "@|reverse",
                                              "@|string",
                                              "@|list|join",
                                              "@|replace('a', '1')",
                                              "@|replace(u, 'b')",
                                              "@|replace('b', u)",
                                              "@|replace('', u, 2)",
                                              "@|indent(2, true)",
                                              "@|center(20)",
                                              "@|truncate(6, true, 'e', 0)",
                                              "@.strip('ab ')",
                                              "@.split()|join('c')",
                                              "@.split('a', 1)|join(u)",
                                              "@.rsplit('|', 2)|last",
                                              "@.splitlines(true)|first|default('d')",
                                              "@[1:]",
                                              "@[:-1]",
                                              "@[::-1]",
                                              "@[::2]",
                                              "@[2:5]",
                                              "@ ~ u ~ @",
                                              "@ + 'abc'",
                                              "'12' + @",
                                              "(@, u)|join",
                                              "[u, @]|sort|join('f')",
                                              "'%s' % @",
                                              "'a%5sb%-3s' % (@, u)",
                                              "'{}b{:>9}'.format(u, @)",
                                              "{'a': @}|tojson",
                                              "[@, 1]|tojson(indent=1)",
                                              "[@]|string",
                                              "@.partition('<')|join('g')",
                                              "@.swapcase()",
                                              "@.ljust(12, u[0] or 'h')",
                                              "@.zfill(9)",
                                              "@.expandtabs()",
                                              "@ * 2",
                                              "@|unique|join",
                                              "@|batch(2)|map('join')|join('i')",
                                              "@|first|default('j')",
                                              "(@|length)|string",
                                              "@|map('upper')|join",
                                              "@|int(7)|string",
                                              "(@ if u else 'k')",
                                              "(u or @)",
                                              "dict(x=@).x",
                                              "namespace(x=@).x",
                                              "@|default('l', true)",
                                              "@.removeprefix('a')",
                                              "@|e|replace('&', '')|replace(';', '')"};

RC_GTEST_PROP(ChatTemplateProperty, NoCharacterOfTheCallerEndsUpTrusted, ()) {
  const std::string caller = caller_text();
  std::string expression =
      *rc::gen::element<std::string>("u", "'abc'", "('a' ~ u ~ 'b')", "(u ~ 'a ' ~ u)");
  const auto steps = *rc::gen::inRange(1, 6);
  for (int i = 0; i < steps; ++i) {
    const std::string operation = *rc::gen::elementOf(kOperations);
    std::string next;
    for (const char c : operation) next += c == '@' ? "(" + expression + ")" : std::string(1, c);
    if (next.size() > 2000) break;
    expression = "(" + next + ")";
  }
  std::vector<TextSpan> spans;
  try {
    spans = render_text("{{ " + expression + " }}", "{\"u\": \"" + caller + "\"}").spans();
  } catch (const TemplateError&) {
    RC_DISCARD("an expression that fails writes nothing");
  }
  for (const TextSpan& span : spans) {
    if (!span.trusted) continue;
    // Separators that the template wrote may be spaces; the caller's other characters give it away.
    const auto found = std::find_if(span.text.begin(), span.text.end(), [](char c) {
      return c != ' ' && kCallers.find(c) != std::string_view::npos;
    });
    RC_ASSERT(found == span.text.end());
  }
}

}  // namespace
}  // namespace colonnade::text::jinja
