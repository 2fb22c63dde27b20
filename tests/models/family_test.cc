#include "colonnade/models/family.h"

#include <cmath>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/models/gemma_common.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

TEST(Families, AreFoundByTheNamesOfBothKindsOfFiles) {
  std::set<std::string> types;
  for (const Family* family : families()) {
    EXPECT_EQ(&family_of_model_type(family->model_type), family);
    EXPECT_STREQ(family_of_architecture(family->architecture).architecture, family->architecture);
    types.insert(family->model_type);
  }
  EXPECT_EQ(types.size(), families().size()) << "no two have one model_type";
}

TEST(Families, AnUnknownNameIsAnErrorThatListsTheKnownOnesOnce) {
  try {
    family_of_model_type("mamba2");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("model_type 'mamba2' is not supported; supported are: bloom, "));
    EXPECT_THAT(error.what(), HasSubstr("qwen3_moe"));
  }
  try {
    family_of_architecture("mamba2");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("gpt2, llama, opt, "));
  }
}

TEST(Families, NameEachTensorOfAHuggingFaceFileOnce) {
  for (const Family* family : families()) {
    std::set<std::string> names;
    for (const NameRule& rule : family->hf_names) {
      if (rule.piece == Piece::unused) continue;
      EXPECT_TRUE(names.insert(rule.name).second) << family->model_type << " " << rule.name;
    }
    EXPECT_TRUE(names.count("token_embd")) << family->model_type;
  }
}

TEST(GiveWindows, EveryLayerOfAPeriodButItsLastHasOne) {
  DecoderConfig c;
  c.layers = 5;
  give_windows(c, 7, 3);
  const LayerKind window{.window = 7};
  EXPECT_EQ(c.kinds, (std::vector<LayerKind>{window, window, {}, window, window}));
  give_windows(c, 7, 0);
  EXPECT_EQ(c.kinds, std::vector<LayerKind>(5, window));
  give_windows(c, 0, 3);
  EXPECT_EQ(c.kinds, std::vector<LayerKind>(5));
  c.local_rope_theta = 1e4;
  give_windows(c, 7, 5);
  EXPECT_TRUE(c.kinds[0].local_rope);
  EXPECT_FALSE(c.kinds[4].local_rope);
}

TEST(RefuseUnless, LetsPassWhatIsSupportedOrNotSaid) {
  const HfConfig fields(R"({"there": true, "other": false})", "m/config.json");
  refuse_unless(fields, "there", true);
  refuse_unless(fields, "absent", true);
  refuse_unless(fields, "absent", false);
  try {
    refuse_unless(fields, "other", true);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("m/config.json: other: expected true"));
  }
}

TEST(ScaleByWidth, IsForTheLargestOfItsFamilyAlone) {
  DecoderConfig c;
  c.layers = 46;
  c.dim = 4608;
  c.heads = 32;
  scale_by_width(c, 26);
  EXPECT_EQ(c.attention_scale, 0);
  scale_by_width(c, 46);
  EXPECT_FLOAT_EQ(c.attention_scale, static_cast<float>(1 / std::sqrt(144.0)));
}

}  // namespace
}  // namespace colonnade
