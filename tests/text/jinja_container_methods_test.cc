#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaContainerMethods, ListsCanGrowAndShrink) {
  EXPECT_EQ(render("{% set l = [1] %}{% set x = l.append(2) %}{% set x = l.extend([3, 4]) %}{% set "
                   "x = l.insert(0, 0) %}"
                   "{{ l.pop() }}{{ l.pop(0) }}{{ l }}{{ l.index(2) }}{{ l.count(3) }}"),
            "40[1, 2, 3]11");
  EXPECT_NE(error_of("{{ [].pop() }}"), "");
}

TEST(JinjaContainerMethods, DictsAnswerAndChange) {
  EXPECT_EQ(render("{% set d = {'a': 1} %}{{ d.get('a') }}{{ d.get('b') }}{{ d.get('b', 2) }}{{ "
                   "d.setdefault('c', 3) }}"
                   "{% set x = d.update({'e': 5}, f=6) %}{{ d.pop('a') }}{{ d }}"),
            "1None231{'c': 3, 'e': 5, 'f': 6}");
  EXPECT_EQ(render("{{ {'a': 1}.keys() }}{{ {'a': 1}.values() }}{{ {'a': 1}.items() }}"),
            "dict_keys(['a'])dict_values([1])dict_items([('a', 1)])");
}

TEST(JinjaContainerMethods, ChangingTheCallersListChangesOnlyThisRendering) {
  EXPECT_EQ(marked("{% set x = l.append('t') %}{{ l|join }}", R"({"l": ["u"]})"), "«u»t");
}

TEST(JinjaContainerMethods, LoopsCycleAndNoticeChanges) {
  EXPECT_EQ(
      render("{% for i in [1, 1, 2] %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i) }}{% endfor %}"),
      "aTruebFalseaTrue");
}

}  // namespace
}  // namespace colonnade::text::jinja
