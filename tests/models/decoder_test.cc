#include "colonnade/models/decoder.h"

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/loaded_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colonnade {
namespace {

using test::LoadedModel;
using test::TinyShape;

/// Runs `ids` as one new sequence; logits of `out_rows`.
Tensor run(LoadedModel& model, const std::vector<int32_t>& ids,
           const std::vector<int32_t>& out_rows, Probe probe = {}) {
  Ctx cx = model.cx();
  cx.probe = std::move(probe);
  const KvLayout layout = model.layout();
  Memory page = model.device->allocate(layout.page_bytes());
  std::byte* const pages[] = {page.data()};
  const SequenceSpan sequence{0, static_cast<int64_t>(ids.size()), 0, pages};
  model.decoder.reserve_positions(*model.device, static_cast<int64_t>(ids.size()));
  const auto tensor_of = [&](const std::vector<int32_t>& values) {
    Tensor made = model.workspace.tensor({static_cast<int64_t>(values.size())}, DType::i32);
    std::memcpy(made.i32(), values.data(), values.size() * sizeof(int32_t));
    return made;
  };
  DecoderInput input;
  input.ids = tensor_of(ids);
  input.kv = {&layout, {&sequence, 1}};
  if (!out_rows.empty()) input.out_rows = tensor_of(out_rows);
  Tensor logits = model.decoder(cx, input);
  model.device->join();
  return logits;
}

std::set<std::string> names(const ParamSet& params) {
  std::set<std::string> all;
  for (const MatrixParam& param : params.matrices()) all.insert(param.name);
  for (const VectorParam& param : params.vectors()) all.insert(param.name);
  return all;
}

TEST(Decoder, DeclaresEveryTensorOfTheFile) {
  for (const char* architecture : {"llama", "qwen2", "qwen3"}) {
    TinyShape shape;
    shape.architecture = architecture;
    const LoadedModel model(shape);
    std::set<std::string> in_file;
    for (const TensorEntry& entry : model.source.entries()) in_file.insert(entry.name);
    EXPECT_EQ(names(model.params), in_file) << architecture;
  }
}

TEST(Decoder, TwoRanksDeclareEveryHeadAndEveryHiddenUnitOnce) {
  const LoadedModel model;
  ParamSet first(model.source, {0, 2, {}}), second(model.source, {1, 2, {}});
  const Decoder a(first, model.config), b(second, model.config);
  EXPECT_EQ(a.heads().heads.end, b.heads().heads.begin);
  for (size_t i = 0; i < first.matrices().size(); ++i) {
    const MatrixParam &left = first.matrices()[i], &right = second.matrices()[i];
    ASSERT_EQ(left.name, right.name);
    const bool shared_kv = left.name.find("attn_k") != std::string::npos ||
                           left.name.find("attn_v") != std::string::npos;
    if (shared_kv) continue;  // a KV head that both ranks' query heads need stands on both
    const bool by_rows = left.row_range.size() != left.rows;
    EXPECT_EQ(by_rows ? left.row_range.end : left.col_range.end,
              by_rows ? right.row_range.begin : right.col_range.begin)
        << left.name;
  }
}

TEST(Decoder, GivesLogitsOfTheWantedRowsAlone) {
  LoadedModel model;
  const std::vector<int32_t> ids = {5, 300, 17, 17, 2};
  const Tensor all = run(model, ids, {0, 1, 2, 3, 4});
  ASSERT_EQ(all.shape(), (Shape{5, model.config.vocab}));
  const Tensor some = run(model, ids, {4, 1});
  ASSERT_EQ(some.rows(), 2);
  const auto row = [&](const Tensor& t, int64_t r) {
    return std::span<const float>(t.f32() + r * model.config.vocab,
                                  static_cast<size_t>(model.config.vocab));
  };
  EXPECT_TRUE(test::same_bits(row(some, 0), row(all, 4)));
  EXPECT_TRUE(test::same_bits(row(some, 1), row(all, 1)));
  EXPECT_FALSE(static_cast<bool>(run(model, ids, {})));
}

TEST(Decoder, ATokenSeesThoseBeforeItAndNoneBehindIt) {
  LoadedModel model;
  const Tensor one = run(model, {5, 300, 17}, {0, 1});
  const Tensor other = run(model, {5, 300, 18}, {0, 1});
  const Tensor changed = run(model, {6, 300, 17}, {0, 1});
  const auto values = [&](const Tensor& t) {
    return std::span<const float>(t.f32(), static_cast<size_t>(t.elements()));
  };
  EXPECT_TRUE(test::same_bits(values(one), values(other)));
  const size_t vocab = static_cast<size_t>(model.config.vocab);
  EXPECT_FALSE(test::same_bits(values(changed).subspan(vocab), values(one).subspan(vocab)));
}

TEST(Decoder, ShowsTheEmbeddingAndBothHalvesOfEveryLayer) {
  LoadedModel model;
  std::vector<std::string> seen;
  run(model, {5}, {0}, [&](std::string_view name, const Tensor& value) {
    EXPECT_EQ(value.shape(), (Shape{1, model.config.dim}));
    seen.emplace_back(name);
  });
  EXPECT_THAT(seen, testing::ElementsAre("embedding", "blk.0.attention", "blk.0.out",
                                         "blk.1.attention", "blk.1.out"));
}

}  // namespace
}  // namespace colonnade
