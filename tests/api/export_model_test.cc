#include "colonnade/api/export_model.h"

#include <cstring>

#include "tests/support/gguf_builder.h"
#include <gtest/gtest.h>

namespace colonnade {
namespace {

std::string floats(std::initializer_list<float> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float)};
}

TEST(ExportModel, AGgufFileHasItsMetadataAndTensorsWithAllDimensions) {
  const test::TemporaryFolder folder;
  const auto model = open_export_model(
      folder.write("m.gguf", test::GgufBuilder()
                                 .add_string("general.architecture", "unheard-of")
                                 .add("split.count", 2, test::le<uint16_t>(0))
                                 .add_tensor("v", {2}, 0, floats({1, 2}))
                                 .add_tensor("m", {2, 1, 2}, 0, floats({3, 4, 5, 6}))
                                 .bytes()));
  ASSERT_EQ(model->metadata().size(), 1u);  // nothing of how it was split
  EXPECT_EQ(model->metadata()[0].key, "general.architecture");
  ASSERT_EQ(model->tensors().size(), 2u);
  EXPECT_TRUE(model->tensors()[0].is_vector());
  const ExportTensor& matrix = model->tensors()[1];
  EXPECT_EQ(matrix.dims, (std::vector<int64_t>{2, 1, 2}));
  EXPECT_EQ(matrix.rows(), 2);
  EXPECT_EQ(matrix.type, GgmlType::f32);
  std::vector<float> numbers(2), raw(2);
  model->read_numbers(1, {1, 2}, numbers);
  model->read_raw(1, {1, 2}, std::as_writable_bytes(std::span(raw)));
  EXPECT_EQ(numbers, (std::vector<float>{5, 6}));
  EXPECT_EQ(raw, numbers);
}

}  // namespace
}  // namespace colonnade
