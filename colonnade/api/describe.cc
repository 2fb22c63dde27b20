#include <algorithm>

#include "colonnade/api/session.h"
#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

/// `fallback` when the file does not say, or says it layer by layer.
int64_t integer_of(const GgufFile& file, const std::string& key, int64_t fallback) {
  const GgufValue* value = file.metadata().find(key);
  const bool is_list = value != nullptr && value->type == GgufValueType::array;
  return is_list ? fallback : file.metadata().integer_or(key, fallback);
}

ModelDescription::TensorInfo describe(const GgufTensor& tensor) {
  ModelDescription::TensorInfo info{tensor.name, name_of(tensor.type), {}, tensor.size_bytes};
  for (int i = tensor.dim_count; i > 0; --i)
    info.shape.push_back(tensor.dims[static_cast<size_t>(i - 1)]);
  return info;
}

}  // namespace

ModelDescription describe_model(const std::string& path) {
  const GgufFile file(path);
  const GgufMetadata& metadata = file.metadata();
  ModelDescription d;
  d.path = file.path();
  d.name = metadata.text_or("general.name", "");
  d.architecture = metadata.text("general.architecture");
  const auto number = [&](const char* name, int64_t fallback) {
    return integer_of(file, d.architecture + "." + name, fallback);
  };
  d.layers = number("block_count", 0);
  d.dim = number("embedding_length", 0);
  d.heads = number("attention.head_count", 0);
  d.kv_heads = number("attention.head_count_kv", d.heads);
  d.head_dim = number("attention.key_length", d.heads > 0 ? d.dim / d.heads : 0);
  d.ffn_dim = number("feed_forward_length", 0);
  d.context = number("context_length", 0);
  d.file_bytes = file.size_bytes();
  d.chat_template = metadata.text_or("tokenizer.chat_template", "");
  for (const GgufTensor& tensor : file.tensors()) {
    d.parameters += tensor.elements();
    d.tensors.push_back(describe(tensor));
  }
  if (const GgufTensor* embedding = file.find("token_embd.weight")) d.vocab = embedding->rows();
  return d;
}

}  // namespace colonnade
