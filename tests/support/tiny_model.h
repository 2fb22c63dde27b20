// Small random models as GGUF files: any shape, any mixture of types, the same bytes for the same
// seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace colonnade::test {

/// Types of the matrices, as GGUF numbers them.
struct TinyTypes {
  uint32_t embedding = 8;  // Q8_0
  uint32_t attention = 3;  // Q4_1
  uint32_t value = 8;
  uint32_t up = 3;
  uint32_t down = 3;
  uint32_t head = 0xffffffff;  // none: tied
};

/// A metadata entry that is not as it should be: GGUF's number of the value type, and the value's
/// bytes; without bytes the key is left out.
struct TinyFault {
  std::string key;
  uint32_t type = 0;
  std::string value = {};
};

struct TinyShape {
  std::string architecture = "llama";  // llama, qwen2 (with biases) or qwen3 (with q and k norms)
  int layers = 2;
  int dim = 288;
  int ffn_dim = 544;
  int heads = 9;
  int kv_heads = 3;
  int head_dim = 32;
  int rotary_dim = 0;  // 0: the whole head
  int vocab = 600;     // at least 300: 256 bytes, control tokens, fillers
  int context = 512;
  uint64_t seed = 1;
  TinyTypes types = {};
  std::string chat_template =
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
  std::vector<TinyFault> faults = {};
};

/// The bytes of the file. Weights are about N(0, 1 / K), so activations stay near 1.
std::string tiny_model(const TinyShape& shape);

}  // namespace colonnade::test
