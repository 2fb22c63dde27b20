#include "colonnade/text/normalizer.h"

#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

using Kind = NormalizerStep::Kind;

std::string changed(const std::vector<NormalizerStep>& steps, std::string_view text,
                    TextStart start = TextStart::of_text) {
  std::string storage;
  return std::string(Normalizer(steps).apply(text, start, &storage));
}

TEST(Normalizer, EveryStepChangesTheText) {
  EXPECT_EQ(changed({}, "a b"), "a b");
  EXPECT_EQ(changed({{Kind::nfc, "", ""}}, "e\u0301"), "\u00E9");
  EXPECT_EQ(changed({{Kind::replace, " ", "__"}}, " a  b"), "__a____b");
  EXPECT_EQ(changed({{Kind::prepend, "", "_"}}, "_a"), "__a");
  EXPECT_EQ(changed({{Kind::prepend, "", "_"}}, ""), "");
  EXPECT_EQ(changed({{Kind::prepend_unless, "", "_"}}, "a"), "_a");
  EXPECT_EQ(changed({{Kind::prepend_unless, "", "_"}}, "_a"), "_a");
  EXPECT_EQ(changed({{Kind::prepend, "", "_"}, {Kind::replace, "_", " "}}, "a"), " a");
}

TEST(Normalizer, SomeThingsArePutBeforeTheWholeTextOnly) {
  const std::vector<NormalizerStep> steps = {{Kind::prepend_first, "", "_"}};
  EXPECT_EQ(changed(steps, "a"), "_a");
  EXPECT_EQ(changed(steps, "_a"), "_a");
  EXPECT_EQ(changed(steps, "a", TextStart::behind_text), "a");
}

// The ranges as the text that they hold, each followed by "|".
std::string ranges(const std::vector<NormalizerStep>& steps, std::string_view text,
                   std::vector<ByteRange> ranges) {
  std::string storage, out;
  const std::string_view normal =
      Normalizer(steps).apply(text, TextStart::of_text, &storage, &ranges);
  for (const ByteRange& r : ranges) out.append(normal.substr(r.begin, r.end - r.begin)).append("|");
  return out;
}

TEST(Normalizer, RangesKeepTheirText) {
  const std::vector<NormalizerStep> llama = {{Kind::prepend, "", "_"}, {Kind::replace, " ", "__"}};
  EXPECT_EQ(ranges(llama, "ab cd ef", {{0, 2}, {3, 5}, {6, 8}}), "_ab|cd|ef|");
  EXPECT_EQ(ranges(llama, "ab cd ef", {{0, 3}, {5, 8}}), "_ab__|__ef|");
  EXPECT_EQ(ranges(llama, "ab cd ef", {{2, 3}}), "__|");
  // A replacement of what is only partly in a range is in none.
  EXPECT_EQ(ranges({{Kind::replace, "bc", "x"}}, "abcd", {{0, 2}, {3, 4}}), "a|d|");
  EXPECT_EQ(ranges({{Kind::replace, "bc", "x"}}, "abcd", {{0, 2}, {2, 4}}), "a|d|");
  EXPECT_EQ(ranges({{Kind::replace, "bc", "x"}}, "abcd", {{2, 3}}), "");
}

TEST(Normalizer, WhereNfcHidesWhatCameFromWhereNoRangeIsLeft) {
  EXPECT_EQ(ranges({{Kind::nfc, "", ""}}, "e\u0301a", {{3, 4}}), "");
  EXPECT_EQ(ranges({{Kind::nfc, "", ""}}, "\u00E9a", {{2, 3}}), "a|");
}

}  // namespace
}  // namespace colonnade::text
