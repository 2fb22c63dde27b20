#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaRender, LoopsHaveTheirOwnScope) {
  EXPECT_EQ(
      render("{% set z = 1 %}{% for i in [1, 2] %}{% set z = z + i %}{{ z }}{% endfor %}{{ z }}"),
      "231");
}

TEST(JinjaRender, ElseRunsUnlessAnIterationReachedItsEnd) {
  EXPECT_EQ(render("{% for i in [1, 2] %}{% break %}{% else %}e{% endfor %}"), "e");
  EXPECT_EQ(
      render("{% for i in [1, 2] %}{% if i == 2 %}{% break %}{% endif %}{% else %}e{% endfor %}"),
      "");
}

TEST(JinjaRender, NamespacesCarryValuesOutOfLoops) {
  EXPECT_EQ(render("{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% "
                   "endfor %}{{ ns.n }}"),
            "3");
  EXPECT_EQ(error_of("{% set x.y = 1 %}", R"({"x": {}})"),
            "test: line 1, column 8: cannot assign attribute on non-namespace object");
}

TEST(JinjaRender, EndlessWorkEndsWithALimit) {
  const std::string source = "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}";
  EXPECT_NE(error_of(source).find("nest deeper than"), std::string::npos);
  const std::string loop =
      "{% for i in range(100000) %}{% if i * i + i == i + i %}{% endif %}{% endfor %}";
  EXPECT_NE(error_of(loop + loop + loop).find("steps of work"), std::string::npos);
}

TEST(JinjaRender, OutputAndMemoryAreBounded) {
  EXPECT_NE(error_of("{{ 'ab' * 100000000 }}"), "");
  EXPECT_NE(error_of("{% for i in range(100000) %}{{ 'abcdefghij' * 100 }}{% endfor %}"), "");
  EXPECT_NE(error_of("{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + "
                     "ns.l %}{% endfor %}"),
            "");
  EXPECT_NE(error_of("{% set ns = namespace(s='a') %}{% for i in range(99) %}{% set ns.s = "
                     "ns.s|replace('a', 'aa') %}{% endfor %}"),
            "");
}

TEST(JinjaRender, ValuesMayReferToThemselves) {
  EXPECT_EQ(render("{% set ns = namespace() %}{% set ns.me = ns %}{{ ns.me.me is defined }}"),
            "True");
  EXPECT_NE(
      error_of("{% set ns = namespace() %}{% set ns.me = ns %}{{ ns }}").find("nest deeper than"),
      std::string::npos);
  EXPECT_NE(
      error_of("{% set l = [] %}{% set x = l.append(l) %}{{ l|tojson }}").find("nest deeper than"),
      std::string::npos);
  EXPECT_NE(error_of("{% set l = [] %}{% set x = l.append(l) %}{{ l == [l] }}"), "");
}

TEST(JinjaRender, DeeplyNestedValuesAreTornDownWithoutRecursion) {
  EXPECT_EQ(render("{% set ns = namespace(x=[]) %}{% for i in range(20000) %}{% set ns.x = [ns.x] "
                   "%}{% endfor %}ok"),
            "ok");
}

}  // namespace
}  // namespace colonnade::text::jinja
