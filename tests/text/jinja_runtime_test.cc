#include "colonnade/text/jinja_runtime.h"

#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaRuntime, StringsGiveTheirMemoryBackAndListsDoNot) {
  Runtime rt({"t", 1 << 30, 10000, std::nullopt});
  for (int i = 0; i < 100; ++i) rt.string(std::string(5000, 'x'), true);
  EXPECT_THROW(for (int i = 0; i < 100; ++i) rt.list(std::vector<Value>(50)), TemplateError);
}

TEST(JinjaRuntime, WorkIsCounted) {
  Runtime rt({"t", 100, 1 << 20, std::nullopt});
  rt.step(100);
  try {
    rt.step();
    FAIL() << "no error";
  } catch (const TemplateError& error) {
    EXPECT_EQ(error.kind(), TemplateError::Kind::limit);
  }
}

TEST(JinjaRuntime, ErrorsCarryTheLastPlace) {
  Runtime rt(test_options());
  rt.at({3, 7});
  try {
    rt.fail("words");
  } catch (const TemplateError& error) {
    EXPECT_STREQ(error.what(), "test: line 3, column 7: words");
    EXPECT_EQ(error.words(), "words");
    EXPECT_EQ(error.where().line, 3);
  }
}

TEST(JinjaRuntime, AnIteratorIsUsedUp) {
  Runtime rt(test_options());
  const Value iterator = rt.list({make_integer(1), make_integer(2)}, Flavor::iterator);
  EXPECT_EQ(rt.iterate(iterator).size(), 2u);
  EXPECT_TRUE(rt.iterate(iterator).empty());
}

TEST(JinjaRuntime, LevelsAreBounded) {
  Runtime rt(test_options());
  const std::function<void()> dive = [&] {
    const Runtime::Level level(rt);
    dive();
  };
  EXPECT_THROW(dive(), TemplateError);
  const Runtime::Level free_again(rt);
}

}  // namespace
}  // namespace colonnade::text::jinja
