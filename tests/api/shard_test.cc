// shard_model: files of ranks that load at any number of ranks, with the bits of the whole model.
#include "colonnade/api/shard.h"

#include <filesystem>

#include "tests/support/gguf_builder.h"
#include "tests/support/session_answer.h"
#include "tests/support/tiny_kinds.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/api/model_files.h"
#include "colonnade/base/error.h"
#include "colonnade/device/devices.h"
#include "colonnade/io/piece_source.h"
#include "colonnade/models/decoder.h"
#include "colonnade/models/loader.h"

namespace colonnade {
namespace {

using ::testing::HasSubstr;

test::Answer answer_of(const std::string& model, int ranks) {
  SessionOptions options;
  options.model = model;
  options.ranks = ranks;
  options.threads = 1;
  options.chunk = 32;
  options.context = 64;
  GenerationRequest request;
  for (int32_t i = 0; i < 40; ++i) request.prompt.push_back((i * i * 7 + i * 31 + 5) % 256);
  request.sampling.temperature = 0;
  request.stop.max_tokens = 3;
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  return test::answer_of(options, request);
}

std::string error_of(const ShardModelRequest& request) {
  try {
    shard_model(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class ShardTest : public testing::Test {
 protected:
  std::string model(const test::TinyShape& shape = {}) const {
    return folder_.write("m.gguf", test::tiny_model(shape));
  }
  std::string cut(const std::string& model, int ranks, std::vector<double> shares = {}) const {
    const std::string place = folder_.path() + "/in-" + std::to_string(ranks);
    std::filesystem::remove_all(place);
    shard_model({.model = model, .folder = place, .ranks = ranks, .shares = std::move(shares)});
    return place;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ShardTest, AModelThatWasCutHasTheBitsOfTheWholeAtAnyNumberOfRanks) {
  const std::string whole = model();
  const test::Answer expected = answer_of(whole, 1);
  for (const int ranks : {2, 3}) {
    const std::string place = cut(whole, ranks);
    for (const int others : {1, 2, 3, 5}) {
      const test::Answer actual = answer_of(place, others);
      EXPECT_TRUE(test::same_bits(actual.logits, expected.logits))
          << "cut by " << ranks << ", on " << others << " ranks";
      EXPECT_EQ(actual.tokens, expected.tokens);
    }
  }
}

TEST_F(ShardTest, ModelsOfEveryKindHaveTheirBits) {
  for (const test::TinyKind& kind : test::tiny_kinds()) {
    const std::string whole = model(kind.shape);
    const test::Answer expected = answer_of(whole, 1);
    const std::string place = cut(whole, 3);
    for (const int others : {2, 3}) {
      EXPECT_TRUE(test::same_bits(answer_of(place, others).logits, expected.logits))
          << kind.name << " on " << others << " ranks";
    }
  }
}

TEST_F(ShardTest, AHuggingFaceFolderOfAnyFamilyIsCutToo) {
  for (const char* name :
       {"llama_scaled", "gpt2", "bloom_6_heads", "gemma2", "gemma3_images", "qwen3_moe_mixed",
        "phi3_longrope", "opt_post_norm", "gpt_oss", "qwen2_window"}) {
    const std::string whole = std::string(COLONNADE_TEST_DATA) + "/families/" + name;
    const test::Answer expected = answer_of(whole, 1);
    const std::string place = cut(whole, 3);
    EXPECT_EQ(describe_model(place).rank_files, 3);
    EXPECT_EQ(describe_model(place).architecture, describe_model(whole).architecture);
    EXPECT_EQ(load_tokenizer(place).vocab_size(), load_tokenizer(whole).vocab_size());
    for (const int others : {1, 2, 3})
      EXPECT_TRUE(test::same_bits(answer_of(place, others).logits, expected.logits))
          << name << " on " << others << " ranks";
  }
}

TEST_F(ShardTest, UnevenSharesAreThoseOfTheRunToo) {
  const std::string whole = model();
  const std::string place = cut(whole, 2, {3, 1});
  EXPECT_EQ(ModelFiles(place).shares_of(2), (std::vector<double>{3, 1}));
  EXPECT_TRUE(ModelFiles(place).shares_of(3).empty());
  EXPECT_TRUE(test::same_bits(answer_of(place, 2).logits, answer_of(whole, 1).logits));
  EXPECT_TRUE(test::same_bits(answer_of(place, 3).logits, answer_of(whole, 1).logits));
}

TEST_F(ShardTest, ARankLoadsItsOwnFileAndNoOther) {
  for (const test::TinyKind& kind : test::tiny_kinds()) {
    const std::string place = cut(model(kind.shape), 3);
    const ModelFiles model(place);
    for (int rank = 0; rank < 3; ++rank) {
      const PieceFiles files(find_rank_files(place));
      const PieceSource source(files, rank);
      std::vector<int64_t> before;
      for (const auto& file : files.files()) before.push_back(file->file.bytes_read());
      ParamSet params(source, {rank, 3, {}});
      const Decoder decoder(params, model.config());
      const std::unique_ptr<Device> device = make_device({.threads = 1});
      load_params(params, *device, Tier::int8, {});
      for (int other = 0; other < 3; ++other) {
        const auto i = static_cast<size_t>(other);
        const int64_t read = files.files()[i]->file.bytes_read() - before[i];
        EXPECT_EQ(read > 0, other == rank) << kind.name << ": rank " << rank << ", file " << other;
      }
    }
  }
}

TEST_F(ShardTest, AFileHoldsItsRanksShareAndWhatAllRanksNeed) {
  test::TinyShape shape;
  shape.vocab = 1024;
  shape.ffn_dim = 1152;
  const GgufFile whole(model(shape));
  const std::string place = cut(whole.path(), 3);
  int64_t tensor_bytes = 0, vector_bytes = 0, held = 0;
  for (const GgufTensor& tensor : whole.tensors()) {
    tensor_bytes += tensor.size_bytes;
    if (tensor.dim_count == 1) vector_bytes += tensor.size_bytes;
  }
  for (const std::string& path : find_rank_files(place)) {
    const GgufFile file(path);
    int64_t mine = 0;
    for (const GgufTensor& tensor : file.tensors()) mine += tensor.size_bytes;
    // A unit of the vocabulary more than a third is the most that a rank can have.
    EXPECT_LT(mine, vector_bytes + tensor_bytes / 3 * 11 / 10) << path;
    held += mine;
  }
  EXPECT_EQ(held, tensor_bytes + 2 * vector_bytes);  // three ranks, three KV heads, cuts at blocks
}

TEST_F(ShardTest, MetadataGoesIntoEveryFile) {
  const std::string whole = model();
  const std::string place = cut(whole, 2);
  const ModelFiles before(whole), after(place);
  EXPECT_EQ(after.chat_template(), before.chat_template());
  EXPECT_EQ(after.vocabulary().tokens, before.vocabulary().tokens);
  EXPECT_EQ(after.config().ffn_dim, before.config().ffn_dim);
  EXPECT_EQ(after.files().size(), 2U);
  const ModelDescription description = describe_model(place);
  EXPECT_EQ(description.rank_files, 2);
  EXPECT_EQ(description.parameters, describe_model(whole).parameters);
  EXPECT_EQ(description.vocab, describe_model(whole).vocab);
}

TEST_F(ShardTest, APieceOfAnotherModelIsRefusedByItsName) {
  const std::string first = cut(model(), 2);
  test::TinyShape shape;
  shape.seed = 99;  // the same shapes
  const std::string second = folder_.path() + "/other";
  shard_model({.model = model(shape), .folder = second, .ranks = 2});
  std::filesystem::copy_file(second + "/m-rank-1-of-2.gguf", first + "/m-rank-1-of-2.gguf",
                             std::filesystem::copy_options::overwrite_existing);
  try {
    const ModelFiles mixed(first);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(first + "/m-rank-1-of-2.gguf: is a piece of another model"));
  }
}

TEST_F(ShardTest, WhatCannotBeCutIsRefused) {
  const std::string whole = model();
  const std::string place = cut(whole, 2);
  EXPECT_THAT(error_of({.model = place, .folder = folder_.path() + "/x", .ranks = 3}),
              HasSubstr("is cut already"));
  EXPECT_THAT(error_of({.model = std::string(COLONNADE_TEST_DATA) + "/families/llama_mlx4",
                        .folder = folder_.path() + "/x",
                        .ranks = 2}),
              HasSubstr("is not cut: make a GGUF file of the model first"));
  EXPECT_THAT(error_of({.model = whole, .folder = place, .ranks = 3}),
              HasSubstr("holds rank files of another model or cut"));
  EXPECT_THAT(error_of({.model = whole, .folder = folder_.path() + "/x", .ranks = 1000}),
              HasSubstr("ranks: "));
  EXPECT_THAT(error_of({.model = whole, .folder = whole, .ranks = 2}),
              HasSubstr("expected a folder to write to"));
}

TEST_F(ShardTest, WhatThrowsInTheProgressEndsTheWorkAndLeavesNothing) {
  const std::string place = folder_.path() + "/x";
  const auto stop = [](int64_t, int64_t) { throw Error("stopped"); };
  EXPECT_EQ(error_of({.model = model(), .folder = place, .ranks = 2, .progress = stop}), "stopped");
  EXPECT_TRUE(std::filesystem::is_empty(place));
}

}  // namespace
}  // namespace colonnade
