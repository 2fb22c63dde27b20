// describe_model: what `colonnade info -m` shows.
#include <string>

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/api/session.h"
#include "colonnade/base/error.h"

namespace colonnade {
namespace {

class DescribeModel : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

TEST_F(DescribeModel, ReadsTheShapeFromTheHeader) {
  const test::TinyShape shape;
  const std::string path = folder_.write("tiny.gguf", test::tiny_model(shape));
  const ModelDescription d = describe_model(path);
  EXPECT_EQ(d.name, "tiny");
  EXPECT_EQ(d.architecture, "llama");
  EXPECT_EQ(d.layers, shape.layers);
  EXPECT_EQ(d.dim, shape.dim);
  EXPECT_EQ(d.heads, shape.heads);
  EXPECT_EQ(d.kv_heads, shape.kv_heads);
  EXPECT_EQ(d.head_dim, shape.head_dim);
  EXPECT_EQ(d.ffn_dim, shape.ffn_dim);
  EXPECT_EQ(d.vocab, shape.vocab);
  EXPECT_EQ(d.context, shape.context);
  EXPECT_EQ(d.file_bytes, static_cast<int64_t>(test::tiny_model(shape).size()));
  EXPECT_EQ(d.chat_template, shape.chat_template);
}

TEST_F(DescribeModel, AHuggingFaceFolderIsDescribedByItsConfiguration) {
  const ModelDescription d = describe_model(std::string(COLONNADE_TEST_DATA) + "/families/gpt2");
  EXPECT_EQ(d.architecture, "gpt2");
  EXPECT_EQ(d.layers, 2);
  EXPECT_EQ(d.dim, 24);
  EXPECT_EQ(d.heads, 3);
  EXPECT_EQ(d.kv_heads, 3);
  EXPECT_EQ(d.ffn_dim, 96);
  EXPECT_EQ(d.vocab, 272);
  EXPECT_EQ(d.context, 128);
  EXPECT_GT(d.parameters, 10000);
  EXPECT_EQ(d.tensors.at(0).type, "F32");
}

TEST_F(DescribeModel, ListsTensorsWithTheirTypeAndShape) {
  const ModelDescription d = describe_model(folder_.write("tiny.gguf", test::tiny_model({})));
  int64_t parameters = 0, bytes = 0;
  for (const auto& tensor : d.tensors) {
    int64_t elements = 1;
    for (const int64_t size : tensor.shape) elements *= size;
    parameters += elements;
    bytes += tensor.bytes;
  }
  EXPECT_EQ(d.parameters, parameters);
  EXPECT_LT(bytes, d.file_bytes);
  EXPECT_EQ(d.tensors[0].name, "token_embd.weight");
  EXPECT_EQ(d.tensors[0].type, "Q8_0");
  EXPECT_THAT(d.tensors[0].shape, testing::ElementsAre(600, 288));
}

TEST_F(DescribeModel, AnArchitectureThatIsNotSupportedIsDescribedAllTheSame) {
  const ModelDescription d =
      describe_model(folder_.write("m.gguf", test::GgufBuilder()
                                                 .add_string("general.architecture", "mamba")
                                                 .add_u32("mamba.block_count", 9)
                                                 .bytes()));
  EXPECT_EQ(d.architecture, "mamba");
  EXPECT_EQ(d.layers, 9);
  EXPECT_EQ(d.heads, 0);
  EXPECT_EQ(d.chat_template, "");
}

TEST_F(DescribeModel, ShapesThatAFileGivesLayerByLayerAreNoError) {
  const std::string two =
      test::le<uint32_t>(4) + test::le<uint64_t>(2) + test::le<uint32_t>(8) + test::le<uint32_t>(4);
  const ModelDescription d =
      describe_model(folder_.write("m.gguf", test::GgufBuilder()
                                                 .add_string("general.architecture", "openelm")
                                                 .add_u32("openelm.block_count", 2)
                                                 .add("openelm.attention.head_count", 9, two)
                                                 .add("openelm.attention.head_count_kv", 9, two)
                                                 .add("openelm.feed_forward_length", 9, two)
                                                 .bytes()));
  EXPECT_EQ(d.layers, 2);
  EXPECT_EQ(d.heads, 0);
  EXPECT_EQ(d.ffn_dim, 0);
}

TEST_F(DescribeModel, OfAModelThatSeesImagesTheSizesAreThoseOfItsText) {
  const ModelDescription d =
      describe_model(std::string(COLONNADE_TEST_DATA) + "/families/gemma3_images");
  EXPECT_EQ(d.architecture, "gemma3");
  EXPECT_EQ(d.layers, 7);
  EXPECT_EQ(d.heads, 8);
  EXPECT_EQ(d.head_dim, 8);
}

TEST_F(DescribeModel, AFileThatIsNoModelIsAnError) {
  EXPECT_THROW(describe_model(folder_.write("m.gguf", "not a model, but long enough to be read")),
               Error);
  EXPECT_THROW(describe_model(folder_.write("n.gguf", test::GgufBuilder().bytes())), Error);
}

}  // namespace
}  // namespace colonnade
