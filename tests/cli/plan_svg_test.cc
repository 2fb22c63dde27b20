#include <algorithm>
#include <string>

#include "tests/support/shape_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/cli/plan_report.h"

namespace colonnade::cli {
namespace {

using test::ModelShape;
using testing::HasSubstr;
using testing::Not;

constexpr ModelShape kSmol{"SmolLM2", 30, 576, 9, 3, 64, 1536, 49152, true};

std::string picture(const ModelShape& shape, int ranks) {
  PlanReport report;
  report.plan = plan_model(test::ShapeSource(shape, WeightFormat::q8_0), test::config_of(shape),
                           {.ranks = ranks});
  return plan_svg(report);
}

int64_t count(const std::string& text, const std::string& word) {
  int64_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(PlanSvg, EveryRankHasOneColour) {
  const std::string svg = picture(kSmol, 4);
  for (const char* colour : {"#6ea8fe", "#f6a25b", "#6cc68b", "#e88aa4"})
    EXPECT_GE(count(svg, colour), 6) << colour;  // legend, q, output, gate, up, down, embedding
  EXPECT_THAT(svg, Not(HasSubstr("#b59ae8")));
}

TEST(PlanSvg, KvHeadsThatSeveralRanksHoldAreHatched) {
  EXPECT_EQ(count(picture(kSmol, 2), "<pattern"), 1);
  EXPECT_EQ(count(picture(kSmol, 2), "url(#h0-1)"), 2);  // K and V
  EXPECT_EQ(count(picture(kSmol, 4), "<pattern"), 2);
  EXPECT_EQ(count(picture(kSmol, 3), "<pattern"), 0);
  EXPECT_EQ(count(picture(kSmol, 1), "<pattern"), 0);
}

TEST(PlanSvg, HeadsAreNumberedWhereThereIsRoom) {
  const std::string svg = picture(kSmol, 3);
  for (int head = 0; head < 9; ++head)
    EXPECT_THAT(svg, HasSubstr(">" + std::to_string(head) + "</text>"));
  EXPECT_THAT(picture({"few", 2, 8192, 64, 8, 128, 28672, 128256, false}, 8),
              HasSubstr(">7</text>"));  // a KV head
  EXPECT_THAT(picture({"many", 2, 8192, 64, 8, 128, 28672, 128256, false}, 2),
              HasSubstr(">0–31</text>"));
}

TEST(PlanSvg, ALayerIsDrawnOnceSoTheFileIsSmall) {
  const std::string svg = picture(kSmol, 2);
  EXPECT_EQ(count(svg, ">attn_q<"), 1);
  EXPECT_THAT(svg, HasSubstr("Each of the layers 0 to 29"));
  EXPECT_LT(svg.size(), 16u << 10);
  EXPECT_LT(picture({"large", 80, 8192, 64, 8, 128, 28672, 128256, false}, 8).size(), 32u << 10);
}

TEST(PlanSvg, LayersThatAreCutOtherwiseAreDrawnToo) {
  test::ShapeSource source({"mixed", 3, 288, 9, 3, 32, 544, 600, true}, WeightFormat::q8_0);
  source.set_format("blk.1.ffn_down.weight", WeightFormat::bf16);
  PlanReport report;
  report.plan = plan_model(source, test::config_of({"mixed", 3, 288, 9, 3, 32, 544, 600, true}),
                           {.ranks = 2});
  const std::string svg = plan_svg(report);
  EXPECT_EQ(count(svg, ">attn_q<"), 2);
  EXPECT_THAT(svg, HasSubstr("Layer 0 and 1 more"));
  EXPECT_THAT(svg, HasSubstr(">Layer 1<"));
}

TEST(PlanSvg, ANameCannotBringMarkupOrBrokenText) {
  ModelShape shape = kSmol;
  shape.name = "<script>&\x01\xff";
  const std::string svg = picture(shape, 2);
  EXPECT_THAT(svg, HasSubstr("&lt;script>&amp;?? on 2 ranks"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(PlanSvg, DarkAndLightHaveTheirOwnInk) {
  EXPECT_THAT(picture(kSmol, 2), HasSubstr("prefers-color-scheme:dark"));
}

TEST(PlanSvg, HundredsOfRanksAreDrawnAndNotAllListed) {
  const std::string svg = picture(kSmol, 192);
  EXPECT_THAT(svg, HasSubstr("and 176 more ranks"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace colonnade::cli
