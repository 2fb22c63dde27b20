// The law of bits on small models of many kinds: logits depend on weights, tokens and precision, on
// nothing else; and they are right.
#include <cmath>
#include <cstring>
#include <optional>

#include "tests/support/gguf_builder.h"
#include "tests/support/reference_decoder.h"
#include "tests/support/tiny_kinds.h"
#include "tests/support/tiny_model.h"
#include <gtest/gtest.h>

#include "colonnade/api/session.h"
#include "colonnade/base/error.h"
#include "colonnade/device/isa.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/models/gguf_config.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade::test {
namespace {

std::vector<int32_t> prompt_of(int64_t count) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<int32_t>((i * i * 7 + i * 31 + 5) % 256));
  return ids;
}

/// Logits of the prompt's last token and of four greedy steps behind it.
std::vector<float> logits_of(const SessionOptions& options, int64_t prompt_tokens) {
  Session session(options);
  std::vector<float> all;
  GenerationRequest request;
  request.prompt = prompt_of(prompt_tokens);
  request.sampling.temperature = 0;
  request.stop.max_tokens = 5;
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  session.generator().generate(request, [&](const TokenEvent& event) {
    all.insert(all.end(), event.logits.begin(), event.logits.end());
    return true;
  });
  return all;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && !a.empty() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class Law : public testing::TestWithParam<size_t> {
 protected:
  const TinyKind kind_ = tiny_kinds()[GetParam()];
  TemporaryFolder folder_;
  const std::string path_ = folder_.write("tiny.gguf", tiny_model(kind_.shape));

  SessionOptions options(Tier tier, int threads, int64_t chunk, const char* isa = "") const {
    SessionOptions o;
    o.model = path_;
    o.threads = threads;
    o.chunk = chunk;
    o.precision = tier;
    o.isa = isa;
    return o;
  }
};

TEST_P(Law, ThreadsChunksAndInstructionSetsChangeNoBit) {
  for (const Tier tier : {Tier::int8, Tier::int15, Tier::f32}) {
    const std::vector<float> expected = logits_of(options(tier, 1, 512, "scalar"), 150);
    for (const int threads : {2, 3, 7}) {
      EXPECT_TRUE(same(logits_of(options(tier, threads, 512), 150), expected))
          << name_of(tier) << " threads " << threads;
    }
    for (const int64_t chunk : {1, 7, 64, 256}) {
      EXPECT_TRUE(same(logits_of(options(tier, 2, chunk), 150), expected))
          << name_of(tier) << " chunk " << chunk;
    }
    for (const kernels::Isa isa : usable_isas()) {
      EXPECT_TRUE(same(logits_of(options(tier, 1, 64, kernels::name_of(isa)), 150), expected))
          << name_of(tier) << " " << kernels::name_of(isa);
    }
  }
}

TEST_P(Law, ACachedPrefixChangesNoBit) {
  const SessionOptions o = options(Tier::int8, 2, 64);
  Session session(o);
  std::vector<float> first, again;
  GenerationRequest request;
  request.prompt = prompt_of(100);
  request.sampling.temperature = 0;
  request.stop.max_tokens = 3;
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  const auto collect = [](std::vector<float>& out) {
    return [&out](const TokenEvent& event) {
      out.insert(out.end(), event.logits.begin(), event.logits.end());
      return true;
    };
  };
  EXPECT_EQ(session.generator().generate(request, collect(first)).timings.cached_tokens, 0);
  GenerationRequest other = request;  // parts from the first prompt in the middle of a page
  other.prompt.resize(90);
  other.prompt.push_back(9);
  std::vector<float> unused;
  EXPECT_EQ(session.generator().generate(other, collect(unused)).timings.cached_tokens, 90);
  EXPECT_EQ(session.generator().generate(request, collect(again)).timings.cached_tokens, 90);
  EXPECT_TRUE(same(first, again));
}

ReferenceModel reference_of(const std::string& path) {
  const GgufFile file(path);
  const GgufSource source(file);
  const DecoderConfig c = read_config(file.metadata(), source);
  ReferenceModel model{.layers = static_cast<int>(c.layers),
                       .dim = static_cast<int>(c.dim),
                       .heads = c.heads,
                       .kv_heads = c.kv_heads,
                       .head_dim = c.head_dim,
                       .rotary_dim = c.rotary_dim,
                       .adjacent_pairs = c.interleaved_qk && c.rotary_dim != c.head_dim,
                       .eps = c.norm_eps,
                       .rope_theta = c.rope_theta};
  for (const TensorEntry& entry : source.entries()) {
    const bool qk = entry.name.find("attn_q.") != std::string::npos ||
                    entry.name.find("attn_k.") != std::string::npos;
    const bool takes_apart = qk && c.interleaved_qk && !model.adjacent_pairs;
    const MatrixSlice slice{{0, entry.rows}, {0, entry.cols}, takes_apart ? c.head_dim : 0};
    ReferenceModel::Matrix matrix{entry.rows, entry.cols, {}};
    if (is_grouped(entry.format)) {
      GroupedRows rows;
      source.rows(entry, slice).grouped({0, entry.rows}, rows);
      std::vector<float> row(static_cast<size_t>(entry.cols));
      for (int64_t r = 0; r < entry.rows; ++r) {
        dequantize_row(rows, r, row);
        matrix.values.insert(matrix.values.end(), row.begin(), row.end());
      }
    } else {
      const std::vector<float> values = source.values(entry);
      for (int64_t r = 0; r < entry.rows; ++r) {
        const int64_t at =
            slice.interleaved_head > 0 ? interleaved_row(r, slice.interleaved_head) : r;
        matrix.values.insert(matrix.values.end(), values.begin() + at * entry.cols,
                             values.begin() + (at + 1) * entry.cols);
      }
    }
    model.tensors[entry.name] = std::move(matrix);
  }
  return model;
}

double largest_error(const std::vector<float>& logits, const std::vector<double>& expected) {
  double most = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    most = std::max(most, std::abs(logits[i] - expected[i]));
  return most;
}

TEST_P(Law, LogitsAreThoseOfThePlainDecoder) {
  const int64_t count = 70;  // over a page's end
  const std::vector<double> expected =
      reference_logits(reference_of(path_), prompt_of(count)).back();
  double spread = 0;
  for (const double v : expected) spread = std::max(spread, std::abs(v));
  // Two layers of K <= 768 in f32: far below 1e-3; int15 has errors of 2^-15 per value, int8 of
  // 2^-8.
  const std::vector<float> f32 = logits_of(options(Tier::f32, 2, 512), count);
  EXPECT_LT(largest_error(f32, expected), 1e-3) << "largest logit " << spread;
  const std::vector<float> int15 = logits_of(options(Tier::int15, 2, 512), count);
  EXPECT_LT(largest_error(int15, expected), 1e-2 * std::max(1.0, spread));
  const std::vector<float> int8 = logits_of(options(Tier::int8, 2, 512), count);
  EXPECT_LT(largest_error(int8, expected), 0.15 * std::max(1.0, spread));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Law, testing::Range(size_t{0}, tiny_kinds().size()),
                         [](const testing::TestParamInfo<size_t>& info) {
                           return tiny_kinds()[info.param].name;
                         });

}  // namespace
}  // namespace colonnade::test
