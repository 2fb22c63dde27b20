#include "tests/support/tiny_model.h"

#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include "tests/support/gguf_builder.h"
#include "tests/support/random.h"

#include "colonnade/base/half.h"

namespace colonnade::test {
namespace {

/// A block of a type: `scale_at` and `offset_at` are where its f16 scales stand (-1: none; MXFP4's
/// is an exponent), `spread` is the standard deviation of code times sub-scale, `middle` their
/// mean.
struct BlockShape {
  uint32_t type;
  int elements;
  int bytes;
  int scale_at;
  int offset_at;
  float spread;
  float middle;
};
constexpr BlockShape kBlocks[] = {
    {2, 32, 18, 0, -1, 4.6F, 0},     {3, 32, 20, 0, 2, 4.6F, 7.5F},
    {6, 32, 22, 0, -1, 9.2F, 0},     {7, 32, 24, 0, 2, 9.2F, 15.5F},
    {8, 32, 34, 0, -1, 74.0F, 0},    {12, 256, 144, 0, 2, 170.0F, 0},
    {13, 256, 176, 0, 2, 340.0F, 0}, {14, 256, 210, 208, -1, 1360.0F, 0},
    {10, 256, 84, 80, 82, 14.0F, 0}, {11, 256, 110, 108, -1, 43.0F, 0},
    {20, 32, 18, 0, -1, 67.0F, 0},   {23, 256, 136, 0, -1, 1250.0F, 0},
    {39, 32, 17, 0, -1, 5.9F, 0},
};

void put_half(std::string& block, int at, float value) {
  const uint16_t half = f32_to_f16(value);
  std::memcpy(block.data() + at, &half, sizeof half);
}

std::string grouped(Random& random, const BlockShape& shape, int64_t rows, int64_t cols) {
  std::string bytes;
  std::string block(static_cast<size_t>(shape.bytes), '\0');
  const float scale = 1.0F / std::sqrt(static_cast<float>(cols)) / shape.spread;
  for (int64_t i = 0; i < rows * cols / shape.elements; ++i) {
    for (char& byte : block) byte = static_cast<char>(random.bits());
    const float d = scale * random.uniform(0.5F, 1.5F);
    if (shape.type == 39) {
      block[0] = static_cast<char>(128 + std::lround(std::log2(d)));
    } else {
      put_half(block, shape.scale_at, d);
    }
    // K-quants subtract dmin * sub-minimum (mean 31.5) from d * sub-scale * code (mean 31.5 * 7.5
    // or 15.5; Q2_K's are 7.5 and 7.5 * 1.5).
    if (shape.offset_at >= 0) {
      const float centre = shape.type == 10   ? 1.5F
                           : shape.type == 12 ? 7.5F
                           : shape.type == 13 ? 15.5F
                                              : -shape.middle;
      put_half(block, shape.offset_at, d * centre);
    }
    bytes += block;
  }
  return bytes;
}

std::string dense(Random& random, uint32_t type, int64_t count, float low, float high) {
  std::string bytes;
  for (int64_t i = 0; i < count; ++i) {
    const float value = random.uniform(low, high);
    if (type == 0) {
      bytes += le(value);
    } else {
      bytes += le(type == 1 ? f32_to_f16(value) : f32_to_bf16(value));
    }
  }
  return bytes;
}

class Writer {
 public:
  explicit Writer(const TinyShape& shape) : shape_(shape), random_(shape.seed) {}

  void matrix(const std::string& name, uint32_t type, int64_t rows, int64_t cols) {
    const float bound = std::sqrt(3.0F / static_cast<float>(cols));
    std::string bytes;
    for (const BlockShape& block : kBlocks) {
      if (block.type == type) bytes = grouped(random_, block, rows, cols);
    }
    if (bytes.empty()) bytes = dense(random_, type, rows * cols, -bound, bound);
    builder_.add_tensor(name, {static_cast<uint64_t>(cols), static_cast<uint64_t>(rows)}, type,
                        bytes);
  }
  void vector(const std::string& name, int64_t size, float low, float high) {
    builder_.add_tensor(name, {static_cast<uint64_t>(size)}, 0, dense(random_, 0, size, low, high));
  }
  GgufBuilder& builder() { return builder_; }

  void layer(int index) {
    const std::string p = "blk." + std::to_string(index) + ".";
    const TinyTypes& t = shape_.types;
    const int64_t q = int64_t{shape_.heads} * shape_.head_dim,
                  kv = int64_t{shape_.kv_heads} * shape_.head_dim;
    vector(p + "attn_norm.weight", shape_.dim, 0.5F, 1.5F);
    matrix(p + "attn_q.weight", t.attention, q, shape_.dim);
    matrix(p + "attn_k.weight", t.attention, kv, shape_.dim);
    matrix(p + "attn_v.weight", t.value, kv, shape_.dim);
    matrix(p + "attn_output.weight", t.attention, shape_.dim, q);
    if (shape_.architecture == "qwen2") {
      vector(p + "attn_q.bias", q, -1, 1);
      vector(p + "attn_k.bias", kv, -1, 1);
      vector(p + "attn_v.bias", kv, -1, 1);
    }
    if (shape_.architecture == "qwen3") {
      vector(p + "attn_q_norm.weight", shape_.head_dim, 0.5F, 1.5F);
      vector(p + "attn_k_norm.weight", shape_.head_dim, 0.5F, 1.5F);
    }
    vector(p + "ffn_norm.weight", shape_.dim, 0.5F, 1.5F);
    matrix(p + "ffn_gate.weight", t.up, shape_.ffn_dim, shape_.dim);
    matrix(p + "ffn_up.weight", t.up, shape_.ffn_dim, shape_.dim);
    matrix(p + "ffn_down.weight", t.down, shape_.dim, shape_.ffn_dim);
  }

 private:
  const TinyShape& shape_;
  Random random_;
  GgufBuilder builder_;
};

std::string utf8(int code) {
  if (code < 128) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
}

/// The 256 bytes in GPT-2's alphabet, three control tokens, fillers.
std::vector<std::string> vocabulary(int size) {
  std::vector<std::string> tokens;
  int next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool plain = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    tokens.push_back(utf8(plain ? byte : next++));
  }
  for (const char* control : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"})
    tokens.emplace_back(control);
  while (static_cast<int>(tokens.size()) < size)
    tokens.push_back("filler" + std::to_string(tokens.size()));
  return tokens;
}

void add_tokenizer(GgufBuilder& builder, const TinyShape& shape) {
  builder.add_string("tokenizer.ggml.model", "gpt2");
  builder.add_string("tokenizer.ggml.pre", "smollm");
  builder.add_strings("tokenizer.ggml.tokens", vocabulary(shape.vocab));
  std::string types = le<uint32_t>(5) + le<uint64_t>(static_cast<uint64_t>(shape.vocab));
  for (int i = 0; i < shape.vocab; ++i) types += le<int32_t>(i >= 256 && i < 259 ? 3 : 1);
  builder.add("tokenizer.ggml.token_type", 9, types);
  builder.add_strings("tokenizer.ggml.merges", {});
  builder.add_u32("tokenizer.ggml.bos_token_id", 257);
  builder.add_u32("tokenizer.ggml.eos_token_id", 258);
  if (!shape.chat_template.empty())
    builder.add_string("tokenizer.chat_template", shape.chat_template);
}

}  // namespace

std::string tiny_model(const TinyShape& shape) {
  Writer writer(shape);
  GgufBuilder& builder = writer.builder();
  for (const TinyFault& fault : shape.faults) builder.replace(fault.key, fault.type, fault.value);
  const std::string a = shape.architecture;
  const auto number = [&](const char* key, int value) {
    builder.add_u32(a + "." + key, static_cast<uint32_t>(value));
  };
  builder.add_string("general.architecture", a);
  builder.add_string("general.name", "tiny");
  number("block_count", shape.layers);
  number("embedding_length", shape.dim);
  number("feed_forward_length", shape.ffn_dim);
  number("context_length", shape.context);
  number("attention.head_count", shape.heads);
  number("attention.head_count_kv", shape.kv_heads);
  number("attention.key_length", shape.head_dim);
  number("attention.value_length", shape.head_dim);
  number("rope.dimension_count", shape.rotary_dim > 0 ? shape.rotary_dim : shape.head_dim);
  builder.add_f32(a + ".attention.layer_norm_rms_epsilon", 1e-5F);
  add_tokenizer(builder, shape);
  writer.matrix("token_embd.weight", shape.types.embedding, shape.vocab, shape.dim);
  for (int i = 0; i < shape.layers; ++i) writer.layer(i);
  writer.vector("output_norm.weight", shape.dim, 0.5F, 1.5F);
  if (shape.types.head != 0xffffffff)
    writer.matrix("output.weight", shape.types.head, shape.vocab, shape.dim);
  return builder.bytes();
}

}  // namespace colonnade::test
