#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaFormat, PercentFormatsAsPythonDoes) {
  EXPECT_EQ(render("{{ '%s %r %d %5.2f %-4s| %05d %+d %x %e %%' % ('a', 'b', 3, 2.5, 'c', 42, 1, "
                   "255, 1234.5) }}"),
            "a 'b' 3  2.50 c   | 00042 +1 ff 1.234500e+03 %");
  EXPECT_EQ(render("{{ '%(a)s-%(b)03d' % {'a': 1, 'b': 2} }}"), "1-002");
}

TEST(JinjaFormat, ArgumentsMustFit) {
  EXPECT_NE(error_of("{{ '%s' % () }}"), "");
  EXPECT_NE(error_of("{{ 'a' % 1 }}"), "");
  EXPECT_NE(error_of("{{ '%d' % 'x' }}"), "");
  EXPECT_NE(error_of("{{ '%q' % 1 }}"), "");
  EXPECT_NE(error_of("{{ '%' % 1 }}"), "");
  EXPECT_NE(error_of("{{ '%99999999999d' % 1 }}"), "");
  EXPECT_NE(error_of("{{ '%.99999f' % 1.5 }}"), "");
}

TEST(JinjaFormat, EachPartKeepsItsAuthor) {
  EXPECT_EQ(marked("{{ '<%s|%d>' % (u, 3) }}", R"({"u": "x"})"), "<«x»|3>");
  EXPECT_EQ(marked("{{ u % 'y' }}", R"({"u": "<%s>"})"), "«<»y«>»");
  EXPECT_EQ(marked("{{ '%d' % n }}", R"({"n": 5})"), "«5»");
}

}  // namespace
}  // namespace colonnade::text::jinja
