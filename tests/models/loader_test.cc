#include "colonnade/models/loader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/models/shape_source.h"
#include "tests/support/bits.h"
#include "tests/support/loaded_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using test::LoadedModel;
using test::TinyShape;
using testing::HasSubstr;
using testing::Not;

class RenamedSource final : public test::ShapeSource {
 public:
  using ShapeSource::ShapeSource;
  std::string place() const override { return "m.gguf"; }
  std::string name_in_files(std::string_view name) const override {
    return "in_file." + std::string(name);
  }
};

/// Message of check_params for matrices [8, 4] declared as `declared` and a file that has
/// `present`.
std::string failure(const std::vector<std::string>& declared,
                    const std::vector<std::string>& present,
                    const std::vector<std::string>& ignorable = {}, int64_t rows = 8) {
  std::vector<TensorEntry> entries;
  for (const std::string& name : present)
    entries.push_back({name, WeightFormat::f32, rows, 4, 0, "file." + name});
  const RenamedSource source(entries);
  ParamSet params(source, {});
  WeightPtr slot;
  for (const std::string& name : declared)
    params.add(MatrixParam{.name = name,
                           .rows = 8,
                           .cols = 4,
                           .row_range = {0, 8},
                           .col_range = {0, 4},
                           .slot = &slot});
  try {
    check_params(params, ignorable);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CheckParams, WhatIsDeclaredAndPresentPasses) {
  EXPECT_EQ(failure({"a", "b"}, {"b", "a"}), "");
  EXPECT_EQ(failure({"a"}, {"a", "rope_freqs.weight"}, {"rope_freqs.weight"}), "");
}

TEST(CheckParams, MissingAndUnusedTensorsAreNamed) {
  EXPECT_EQ(failure({"a", "b"}, {"a"}),
            "m.gguf: tensors that the model needs are missing (1): 'b' ('in_file.b' in the file)");
  EXPECT_EQ(failure({"a"}, {"a", "surplus"}),
            "m.gguf: there are tensors that this architecture does not use (1): 'file.surplus'");
  EXPECT_THAT(failure({"a", "b"}, {"a", "surplus"}),
              HasSubstr("; there are tensors that nothing uses: 'file.surplus'"));
}

TEST(CheckParams, OfManyMissingTensorsTenAreNamed) {
  std::vector<std::string> many;
  for (int i = 10; i < 23; ++i) many.push_back("t" + std::to_string(i));
  const std::string message = failure(many, {});
  EXPECT_THAT(message, HasSubstr("missing (13): 't10' ('in_file.t10' in the file), 't11'"));
  EXPECT_THAT(message, HasSubstr("'in_file.t19' in the file) and 3 more"));
  EXPECT_THAT(message, Not(HasSubstr("t20")));
}

TEST(CheckParams, AWrongShapeIsShownBesideTheRightOne) {
  EXPECT_EQ(failure({"a"}, {"a"}, {}, 9),
            "m.gguf: tensor 'a' ('file.a' in the file): expected [8, 4], got [9, 4]: configuration "
            "and file contradict each other");
}

TEST(LoadParams, FillsEverySlotAndTellsItsProgress) {
  LoadedModel model;
  int64_t matrices = 0;
  for (const MatrixParam& param : model.params.matrices()) {
    matrices += model.source.find(param.name)->file_bytes;
    *param.slot = nullptr;
  }
  std::vector<int64_t> done;
  load_params(model.params, *model.device, Tier::int8,
              [&](int64_t bytes) { done.push_back(bytes); });
  for (const MatrixParam& param : model.params.matrices()) {
    ASSERT_NE(*param.slot, nullptr) << param.name;
    EXPECT_EQ((*param.slot)->rows(), param.rows);
    EXPECT_EQ((*param.slot)->k(), param.cols);
  }
  ASSERT_EQ(done.size(), model.params.matrices().size());
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), matrices);
}

TEST(LoadParams, DenseMatricesStayF32WhateverTheTier) {
  TinyShape shape;
  shape.types.embedding = 30;  // bf16
  const LoadedModel model(shape, Tier::int15);
  for (const MatrixParam& param : model.params.matrices()) {
    EXPECT_EQ((*param.slot)->tier(), (*param.slot)->grouped() ? Tier::int15 : Tier::f32);
  }
}

TEST(LoadParams, VectorsAreThisRanksPart) {
  TinyShape shape;
  shape.architecture = "qwen2";
  const LoadedModel model(shape);
  ParamSet params(model.source, {1, 2, {}});
  const Decoder decoder(params, model.config);
  load_params(params, *model.device, Tier::int8, {});
  int compared = 0;
  for (const VectorParam& param : params.vectors()) {
    if (param.name != "blk.0.attn_q.bias") continue;
    const std::vector<float> all = model.source.values(*model.source.find(param.name));
    EXPECT_GT(param.range.begin, 0);
    EXPECT_TRUE(test::same_bits({param.slot->f32(), static_cast<size_t>(param.range.size())},
                                std::span(all).subspan(static_cast<size_t>(param.range.begin))));
    ++compared;
  }
  EXPECT_EQ(compared, 1);
}

TEST(ShareBytes, OfAllRanksAreAboutTheFileAndWhatIsReplicated) {
  const LoadedModel model;
  int64_t whole = 0, parts = 0;
  for (const TensorEntry& entry : model.source.entries()) whole += entry.file_bytes;
  for (int rank = 0; rank < 3; ++rank) {
    ParamSet params(model.source, {rank, 3, {}});
    const Decoder decoder(params, model.config);
    parts += share_bytes(params);
  }
  EXPECT_EQ(share_bytes(model.params) <= whole, true);
  EXPECT_NEAR(static_cast<double>(parts) / static_cast<double>(whole), 1.0, 0.03);
}

}  // namespace
}  // namespace colonnade
