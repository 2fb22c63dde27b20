#include "colonnade/api/whole_model.h"

#include <cstring>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

std::string family(const char* name) {
  return std::string(COLONNADE_TEST_DATA) + "/families/" + name;
}

size_t index_of(const WholeModel& model, const std::string& name) {
  for (size_t i = 0; i < model.tensors().size(); ++i) {
    if (model.tensors()[i].name == name) return i;
  }
  throw Error("no tensor " + name);
}

TEST(WholeModel, AGgufModelsRowsAreTheFilesBytes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("tiny.gguf", test::tiny_model({}));
  const auto model = open_whole_model(path);
  EXPECT_EQ(model->stem(), "tiny");
  const size_t index = index_of(*model, "blk.1.ffn_up.weight");
  const GgufFile file(path);
  const GgufTensor& tensor = *file.find("blk.1.ffn_up.weight");
  EXPECT_EQ(model->tensors()[index].type, tensor.type);
  std::vector<std::byte> expected(static_cast<size_t>(3 * tensor.row_bytes()));
  file.read(tensor, 2 * tensor.row_bytes(), expected);
  EXPECT_EQ(model->read(index, {2, 5}), expected);
}

TEST(WholeModel, AFoldersMatricesAreCutOutOfFusedOnesAndItsVectorsAreNumbers) {
  const auto model = open_whole_model(family("gpt2"));
  EXPECT_EQ(model->stem(), "gpt2");
  const WholeTensor& k = model->tensors()[index_of(*model, "blk.0.attn_k.weight")];
  EXPECT_EQ(k.rows, k.cols);  // as many KV heads as heads
  const size_t norm = index_of(*model, "output_norm.weight");
  EXPECT_EQ(model->tensors()[norm].type, GgmlType::f32);
  const std::vector<float> values =
      model->files().source().values(*model->files().source().find("output_norm.weight"));
  std::vector<float> read(values.size());
  const std::vector<std::byte> bytes = model->read(norm, {0, 1});
  ASSERT_EQ(bytes.size(), values.size() * sizeof(float));
  std::memcpy(read.data(), bytes.data(), bytes.size());
  EXPECT_EQ(read, values);
}

TEST(WholeModel, AMatrixOfATypeThatRankFilesDoNotHoldIsNamed) {
  try {
    open_whole_model(family("gpt_oss_mxfp4"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("experts"));
    EXPECT_THAT(error.what(), testing::HasSubstr("colonnade quantize --type Q8_0"));
  }
}

}  // namespace
}  // namespace colonnade
