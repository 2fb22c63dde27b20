#include "colonnade/engine/stop.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using Strings = std::vector<std::string>;

struct Result {
  std::string text;
  bool matched = false;
};

Result run(const Strings& stops, const Strings& pieces) {
  StopStrings finder(stops);
  Result result;
  for (const std::string& piece : pieces) result.text += finder.push(piece);
  result.matched = finder.matched();
  result.text += finder.flush();
  return result;
}

TEST(StopStrings, TextBeforeTheMatchIsReturnedAndNothingBehindIt) {
  const Result result = run({"END"}, {"one two ", "END three"});
  EXPECT_EQ(result.text, "one two ");
  EXPECT_TRUE(result.matched);
}

TEST(StopStrings, AMatchAcrossPiecesIsFoundAndItsBeginningNeverShown) {
  StopStrings finder({"\n\nUser:"});
  EXPECT_EQ(finder.push("Hello.\n"), "Hello.");
  EXPECT_EQ(finder.push("\nUs"), "");
  EXPECT_EQ(finder.push("er"), "");
  EXPECT_FALSE(finder.matched());
  EXPECT_EQ(finder.push(": hi"), "");
  EXPECT_TRUE(finder.matched());
  EXPECT_EQ(finder.push("more"), "");
  EXPECT_EQ(finder.flush(), "");
}

TEST(StopStrings, WhatWasHeldInVainIsReturned) {
  StopStrings finder({"aab"});
  EXPECT_EQ(finder.push("xaa"), "x");
  EXPECT_EQ(finder.push("a"), "a");  // the last two may still begin a match
  EXPECT_EQ(finder.push("b"), "");
  EXPECT_TRUE(finder.matched());
  EXPECT_EQ(run({"END"}, {"the EN"}).text, "the EN");
  EXPECT_EQ(run({"END"}, {"the EN", "d"}).text, "the ENd");
}

TEST(StopStrings, OfSeveralTheFirstToBeCompleteWinsThenTheLongest) {
  EXPECT_EQ(run({"world", "lo"}, {"hello world"}).text, "hel");
  EXPECT_EQ(run({"lo", "world"}, {"hello world"}).text, "hel");
  EXPECT_EQ(run({"abcd", "c"}, {"xabcd"}).text, "xab");
  EXPECT_EQ(run({"c", "abc"}, {"xabcd"}).text, "x");
}

TEST(StopStrings, ManyBytesPerCharacterAreHeldWhole) {
  StopStrings finder({"\u4e2d\u6587"});
  EXPECT_EQ(finder.push("a\u4e2d"), "a");
  EXPECT_EQ(finder.push("\u4e2d\u6587"), "\u4e2d");
  EXPECT_TRUE(finder.matched());
  // \u4e2e shares two bytes with \u4e2d but is another character.
  EXPECT_EQ(run({"\u4e2d\u6587"}, {"a\u4e2e"}).text, "a\u4e2e");
}

TEST(StopStrings, WithoutStringsEverythingPasses) {
  const Result result = run({}, {"a", "", "b"});
  EXPECT_EQ(result.text, "ab");
  EXPECT_FALSE(result.matched);
}

TEST(StopStrings, AnEmptyStringIsAnError) { EXPECT_THROW(StopStrings({"a", ""}), Error); }

TEST(StopStrings, HowTheTextIsCutIntoPiecesChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    // Three letters: matches and near misses are frequent.
    const auto word = [](int longest) {
      return rc::gen::resize(longest,
                             rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c')));
    };
    Strings stops;
    for (const std::string& stop : *rc::gen::resize(4, rc::gen::container<Strings>(word(6)))) {
      if (!stop.empty()) stops.push_back(stop);
    }
    const Strings pieces = *rc::gen::resize(12, rc::gen::container<Strings>(word(5)));
    std::string text;
    Strings letters;
    for (const std::string& piece : pieces) {
      text += piece;
      for (const char letter : piece) letters.push_back(std::string(1, letter));
    }
    // By definition: the first place where some stop string ends, the longest of them.
    Result expected{text, false};
    for (size_t end = 0; end <= text.size() && !expected.matched; ++end) {
      size_t longest = 0;
      for (const std::string& stop : stops) {
        if (text.substr(0, end).ends_with(stop)) longest = std::max(longest, stop.size());
      }
      if (longest > 0) expected = {text.substr(0, end - longest), true};
    }
    for (const Strings& cut : {Strings{text}, pieces, letters}) {
      const Result result = run(stops, cut);
      RC_ASSERT(result.text == expected.text);
      RC_ASSERT(result.matched == expected.matched);
    }
  }));
}

StopOptions options_of(Strings strings, std::vector<int32_t> ids, std::optional<int64_t> most) {
  return {std::move(strings), std::move(ids), most};
}

TEST(StopCondition, AStopTokenEndsTheAnswerWithoutItsText) {
  StopCondition condition(options_of({"xyz"}, {2, 7}, 10));
  EXPECT_TRUE(condition.is_stop_token(7));
  EXPECT_FALSE(condition.is_stop_token(3));
  EXPECT_EQ(condition.push(3, "ab xy").text, "ab ");
  const StopCondition::Step step = condition.push(7, "<|end|>");
  EXPECT_EQ(step.text, "xy");  // held back until now
  EXPECT_EQ(step.reason, FinishReason::stop);
  EXPECT_EQ(condition.tokens(), 2);
}

TEST(StopCondition, TheLimitEndsTheAnswerWithAllOfItsText) {
  StopCondition condition(options_of({"xyz"}, {}, 2));
  EXPECT_EQ(condition.push(3, "ab").reason, FinishReason::none);
  EXPECT_FALSE(condition.at_limit());
  const StopCondition::Step step = condition.push(3, " xy");
  EXPECT_EQ(step.text, " xy");
  EXPECT_EQ(step.reason, FinishReason::length);
  EXPECT_TRUE(condition.at_limit());
}

TEST(StopCondition, AMatchAtTheLimitIsAStop) {
  StopCondition condition(options_of({"b"}, {9}, 1));
  const StopCondition::Step step = condition.push(3, "ab");
  EXPECT_EQ(step.text, "a");
  EXPECT_EQ(step.reason, FinishReason::stop);
  StopCondition other(options_of({}, {9}, 1));
  EXPECT_EQ(other.push(9, "").reason, FinishReason::stop);
}

TEST(StopCondition, ALimitOfNothingIsReachedBeforeTheFirstToken) {
  EXPECT_TRUE(StopCondition(options_of({}, {}, 0)).at_limit());
  EXPECT_FALSE(StopCondition(options_of({}, {}, std::nullopt)).at_limit());
}

TEST(StopCondition, WithoutALimitNothingEndsIt) {
  StopCondition condition(options_of({}, {}, std::nullopt));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(condition.push(3, "a").reason, FinishReason::none);
}

TEST(StopCondition, AnAnswerThatEndsOtherwiseStillShowsWhatWasHeld) {
  StopCondition condition(options_of({"xyz"}, {}, std::nullopt));
  EXPECT_EQ(condition.push(1, "xy").text, "");
  EXPECT_EQ(condition.flush(), "xy");
}

TEST(StopCondition, WrongOptionsAreErrors) {
  EXPECT_THROW(StopCondition(options_of({""}, {}, 1)), Error);
  EXPECT_THROW(StopCondition(options_of({}, {}, -1)), Error);
}

TEST(FinishReason, NamesAreThoseOfTheApi) {
  EXPECT_STREQ(name_of(FinishReason::stop), "stop");
  EXPECT_STREQ(name_of(FinishReason::length), "length");
  EXPECT_STREQ(name_of(FinishReason::none), "");
}

}  // namespace
}  // namespace colonnade
