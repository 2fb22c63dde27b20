#include <algorithm>

#include "colonnade/api/session.h"
#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

/// 0 when the file does not say.
int64_t integer_of(const GgufFile& file, const std::string& architecture, const char* name) {
  return file.metadata().integer_or(architecture + "." + name, 0);
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
  d.layers = integer_of(file, d.architecture, "block_count");
  d.dim = integer_of(file, d.architecture, "embedding_length");
  d.heads = integer_of(file, d.architecture, "attention.head_count");
  d.kv_heads = metadata.integer_or(d.architecture + ".attention.head_count_kv", d.heads);
  d.head_dim = metadata.integer_or(d.architecture + ".attention.key_length",
                                   d.heads > 0 ? d.dim / d.heads : 0);
  d.ffn_dim = integer_of(file, d.architecture, "feed_forward_length");
  d.context = integer_of(file, d.architecture, "context_length");
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
