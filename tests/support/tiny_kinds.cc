#include "tests/support/tiny_kinds.h"

namespace colonnade::test {
namespace {

TinyTypes types(uint32_t attention, uint32_t value, uint32_t up, uint32_t down, uint32_t embedding,
                uint32_t head) {
  return {.embedding = embedding,
          .attention = attention,
          .value = value,
          .up = up,
          .down = down,
          .head = head};
}

constexpr uint32_t kTied = 0xffffffff;

}  // namespace

std::vector<TinyKind> tiny_kinds() {
  std::vector<TinyKind> all;
  all.push_back({"llama_q4_1", {}});
  TinyShape s{
      .architecture = "qwen2", .dim = 256, .ffn_dim = 512, .heads = 8, .kv_heads = 2, .seed = 2};
  s.types = types(12, 14, 12, 14, 14, 8);  // Q4_K_M's mixture, untied
  all.push_back({"qwen2_q4_k_m", s});
  s = {.architecture = "qwen3",
       .dim = 256,
       .ffn_dim = 768,
       .heads = 4,
       .kv_heads = 1,
       .head_dim = 64,
       .seed = 3};
  s.types = types(6, 8, 13, 7, 2, kTied);
  all.push_back({"qwen3_q5", s});
  s = {.dim = 96, .ffn_dim = 200, .heads = 6, .kv_heads = 3, .head_dim = 16, .seed = 4};
  s.types = types(30, 1, 30, 0, 30, kTied);
  all.push_back({"llama_dense", s});
  s = {.dim = 160, .ffn_dim = 224, .heads = 2, .kv_heads = 2, .head_dim = 80, .seed = 5};
  s.types = types(2, 2, 2, 2, 2, kTied);  // heads of 80 over groups of 32
  all.push_back({"llama_heads_of_80", s});
  s = {.dim = 128, .ffn_dim = 256, .heads = 4, .kv_heads = 2, .rotary_dim = 16, .seed = 6};
  s.types = types(8, 8, 8, 8, 8, kTied);  // half of a head is not rotated
  all.push_back({"llama_partly_rotated", s});
  s = {.dim = 256, .ffn_dim = 512, .heads = 4, .kv_heads = 2, .head_dim = 64, .seed = 7};
  s.types = types(10, 39, 23, 11, 20, 39);  // Q2_K, MXFP4, IQ4_XS, Q3_K, IQ4_NL
  all.push_back({"llama_low_bits", s});
  return all;
}

}  // namespace colonnade::test
