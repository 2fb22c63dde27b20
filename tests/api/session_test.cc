#include "colonnade/api/session.h"

#include <limits>
#include <string>

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

class SessionTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;

  SessionOptions options(const test::TinyShape& shape = {}) const {
    SessionOptions made;
    made.model = folder_.write("tiny.gguf", test::tiny_model(shape));
    made.threads = 2;
    return made;
  }
  static std::string failure(const SessionOptions& options) {
    try {
      Session session(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(SessionTest, ChoosesWhatIsNotSaid) {
  const Session session(options());
  EXPECT_EQ(session.precision(), Tier::int8);
  EXPECT_EQ(session.cache_dtype(), DType::bf16);
  EXPECT_EQ(session.context(), 512);
  EXPECT_EQ(session.vocab(), 600);
  EXPECT_EQ(session.threads(), 2);
  EXPECT_THAT(session.device(), HasSubstr("2 threads"));
}

TEST_F(SessionTest, AnExactPrecisionBringsAnExactCache) {
  for (const Tier tier : {Tier::f32, Tier::int15}) {
    SessionOptions o = options();
    o.precision = tier;
    EXPECT_EQ(Session(o).cache_dtype(), DType::f32);
    o.cache = DType::bf16;
    EXPECT_EQ(Session(o).cache_dtype(), DType::bf16);
  }
}

TEST_F(SessionTest, AContextBeyondTheModelsIsAnErrorWithBothNumbers) {
  SessionOptions o = options();
  o.context = 513;
  EXPECT_THAT(failure(o), HasSubstr("at most 512 positions (the model's), got 513"));
  o.context = -1;
  EXPECT_THAT(failure(o), HasSubstr("got -1"));
  o.context = 17;
  EXPECT_EQ(Session(o).context(), 17);
}

TEST_F(SessionTest, AKvCacheOfAnotherTypeIsAnError) {
  SessionOptions o = options();
  o.cache = DType::f16;
  EXPECT_THAT(failure(o), HasSubstr("expected f32 or bf16, got f16"));
}

TEST_F(SessionTest, AFileThatIsNotThereIsNamed) {
  SessionOptions o;
  o.model = folder_.path() + "/nothing.gguf";
  EXPECT_THAT(failure(o), HasSubstr("nothing.gguf"));
}

TEST_F(SessionTest, AnUnknownArchitectureIsNamedBeforeItsTensorsAreJudged) {
  SessionOptions o = options();
  o.model = folder_.write("experts.gguf",
                          test::GgufBuilder()
                              .add_string("general.architecture", "mamba")
                              .add_tensor("blk.0.ffn_up_exps.weight", {1, 1, 1}, 0, "abcd")
                              .bytes());
  EXPECT_THAT(failure(o), HasSubstr("architecture 'mamba' is not supported; supported are: bloom"));
}

TEST_F(SessionTest, MissingTensorsAreListedTogether) {
  test::TinyShape shape;
  std::string bytes = test::tiny_model(shape);
  const std::string key = "llama.block_count";
  const size_t at = bytes.find(key) + key.size() + 4;  // behind the value type
  bytes.replace(at, 4, test::le<uint32_t>(3));
  SessionOptions o = options();
  o.model = folder_.write("short.gguf", bytes);
  EXPECT_THAT(failure(o), HasSubstr("tensors that the model needs are missing ("));
  EXPECT_THAT(failure(o), HasSubstr("blk.2.ffn_down.weight"));
  EXPECT_THAT(failure(o), HasSubstr("blk.2.attn_q.weight"));
}

TEST_F(SessionTest, BiasesAndNormsThatAFamilyHasMayNotBeMissing) {
  for (const auto& [architecture, tensor] :
       {std::pair{"qwen2", "attn_k.bias"}, {"qwen3", "attn_q_norm.weight"}}) {
    std::string bare = test::tiny_model({});  // a llama: as long a name, neither biases nor norms
    for (size_t at; (at = bare.find("llama")) != std::string::npos;)
      bare.replace(at, 5, architecture);
    SessionOptions o = options();
    o.model = folder_.write("bare.gguf", bare);
    EXPECT_THAT(failure(o), HasSubstr(std::string("blk.0.") + tensor));
  }
}

TEST_F(SessionTest, AnInstructionSetThatDoesNotExistIsNamed) {
  SessionOptions o = options();
  o.isa = "sse9";
  EXPECT_THAT(failure(o), HasSubstr("sse9"));
}

TEST_F(SessionTest, AnEmbeddingThatIsNotTheHeadIsNotReadPerToken) {
  const Session tied(options());
  EXPECT_EQ(tied.bytes_per_token(), tied.weight_bytes());
  test::TinyShape shape;
  shape.types.head = 8;
  const Session untied(options(shape));
  EXPECT_LT(untied.bytes_per_token(), untied.weight_bytes());
  EXPECT_EQ(untied.multiply_adds_per_token(), tied.multiply_adds_per_token());
}

TEST_F(SessionTest, MultiplyAddsAreTheSizesOfTheMatrices) {
  const test::TinyShape s;
  const int64_t q = int64_t{s.heads} * s.head_dim, kv = int64_t{s.kv_heads} * s.head_dim;
  const int64_t layer = s.dim * (2 * q + 2 * kv + 3 * int64_t{s.ffn_dim});
  EXPECT_EQ(Session(options()).multiply_adds_per_token(),
            s.layers * layer + int64_t{s.vocab} * s.dim);
}

TEST_F(SessionTest, TheChatTemplateIsTheModelsAndItsAbsenceAnError) {
  const Session session(options());
  EXPECT_NO_THROW(session.chat_template());
  EXPECT_EQ(session.chat_input().bos_token, "<|im_start|>");
  EXPECT_EQ(session.chat_input().eos_token, "<|im_end|>");
  test::TinyShape shape;
  shape.chat_template = "";
  const Session without(options(shape));
  EXPECT_THROW(without.chat_template(), Error);
}

TEST_F(SessionTest, AChatTemplateThatDoesNotParseFailsAtTheStart) {
  test::TinyShape shape;
  shape.chat_template = "{% for m in messages %}{{ m.content }}";
  EXPECT_THAT(failure(options(shape)), HasSubstr("chat template"));
}

TEST_F(SessionTest, ProgressEndsWithTheMatricesOfTheFile) {
  SessionOptions o = options();
  LoadedBytes last;
  o.progress = [&](std::span<const LoadedBytes> ranks) {
    ASSERT_EQ(ranks.size(), 1u);
    EXPECT_GE(ranks[0].done, last.done);
    last = ranks[0];
  };
  const Session session(o);
  const int64_t file = describe_model(o.model).file_bytes;
  EXPECT_EQ(last.done, last.all);
  EXPECT_LT(last.all, file);
  EXPECT_GT(last.all, file / 2);
}

TEST_F(SessionTest, ATokenizerLoadsWithoutTheWeights) {
  const text::Tokenizer tokenizer = load_tokenizer(options().model);
  EXPECT_EQ(tokenizer.vocab_size(), 600);
  EXPECT_EQ(tokenizer.encode("Hi", text::ParseSpecial::no, text::AddSpecial::no),
            (std::vector<int32_t>{'H', 'i'}));
}

TEST_F(SessionTest, SeveralSessionsLiveSideBySide) {
  Session a(options()), b(options());
  GenerationRequest request;
  request.prompt = {1, 2, 3};
  request.sampling.temperature = 0;
  request.stop.max_tokens = 4;
  EXPECT_EQ(a.generator().generate(request, {}).tokens, b.generator().generate(request, {}).tokens);
}

TEST_F(SessionTest, AnActivationThatIsNotFiniteNamesTheLayerAndTheNextRequestIsServed) {
  test::TinyShape shape;
  shape.types.embedding = 0;
  shape.types.head = 8;  // tied, its logit would be infinite in every step
  std::string bytes = test::tiny_model(shape);
  const GgufFile good(folder_.write("good.gguf", bytes));
  const GgufTensor* embedding = good.find("token_embd.weight");
  const float infinite = std::numeric_limits<float>::infinity();
  bytes.replace(static_cast<size_t>(embedding->offset + 5 * embedding->row_bytes()),
                sizeof infinite, test::le(infinite));
  SessionOptions made = options();
  made.model = folder_.write("bad.gguf", bytes);
  Session session(made);
  GenerationRequest request;
  request.prompt = {1, 5};
  request.stop.max_tokens = 1;
  try {
    session.generator().generate(request, {});
    FAIL() << "an infinite embedding was computed with";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("blk.0"));
  }
  request.prompt = {1, 6};
  EXPECT_EQ(session.generator().generate(request, {}).tokens.size(), 1U);
}

}  // namespace
}  // namespace colonnade
