#include <algorithm>

#include "colonnade/api/hf_texts.h"
#include "colonnade/api/session.h"
#include "colonnade/io/gguf.h"
#include "colonnade/io/hf_folder.h"
#include "colonnade/io/hub_cache.h"
#include "colonnade/io/piece_source.h"
#include "colonnade/models/hf_decoder_config.h"
#include "colonnade/models/text_model.h"

namespace colonnade {
namespace {

/// `fallback` when the file does not say, or says it layer by layer.
int64_t integer_of(const GgufMetadata& metadata, const std::string& key, int64_t fallback) {
  const GgufValue* value = metadata.find(key);
  const bool is_list = value != nullptr && value->type == GgufValueType::array;
  return is_list ? fallback : metadata.integer_or(key, fallback);
}

ModelDescription::TensorInfo describe(const GgufTensor& tensor) {
  ModelDescription::TensorInfo info{tensor.name, name_of(tensor.type), {}, tensor.size_bytes};
  for (int i = tensor.dim_count; i > 0; --i)
    info.shape.push_back(tensor.dims[static_cast<size_t>(i - 1)]);
  return info;
}

ModelDescription describe(const GgufMetadata& metadata) {
  ModelDescription d;
  d.name = metadata.text_or("general.name", "");
  d.architecture = metadata.text("general.architecture");
  const auto number = [&](const char* name, int64_t fallback) {
    return integer_of(metadata, d.architecture + "." + name, fallback);
  };
  d.layers = number("block_count", 0);
  d.dim = number("embedding_length", 0);
  d.heads = number("attention.head_count", 0);
  d.kv_heads = number("attention.head_count_kv", d.heads);
  d.head_dim = number("attention.key_length", d.heads > 0 ? d.dim / d.heads : 0);
  d.ffn_dim = number("feed_forward_length", 0);
  d.context = number("context_length", 0);
  d.chat_template = metadata.text_or("tokenizer.chat_template", "");
  return d;
}

ModelDescription describe(const HfConfig& fields) {
  const HfSizes sizes = read_sizes(text_fields(fields));
  ModelDescription d;
  d.architecture = fields.text_or("model_type", "");
  d.layers = sizes.layers;
  d.dim = sizes.dim;
  d.heads = sizes.heads;
  d.kv_heads = sizes.kv_heads;
  d.head_dim = sizes.head_dim;
  d.ffn_dim = sizes.ffn_dim;
  d.vocab = sizes.vocab;
  d.context = sizes.context;
  return d;
}

ModelDescription describe_gguf(const std::string& path) {
  const GgufFile file(path);
  ModelDescription d = describe(file.metadata());
  d.path = file.path();
  d.file_bytes = file.size_bytes();
  for (const GgufTensor& tensor : file.tensors()) d.tensors.push_back(describe(tensor));
  if (const GgufTensor* embedding = file.find("token_embd.weight")) d.vocab = embedding->rows();
  return d;
}

/// A model that was cut into one file per rank: its tensors are those of the whole.
ModelDescription describe_pieces(const std::vector<std::string>& paths) {
  const PieceFiles files(paths);
  const PieceSource source(files);
  const GgufMetadata& keys = files.metadata();
  ModelDescription d =
      has_hf_texts(keys) ? describe(hf_config_of(keys, paths.front())) : describe(keys);
  d.path = paths.front();
  if (has_hf_texts(keys)) {
    d.name = keys.text_or("general.name", "");
    d.chat_template = hf_chat_template_of(keys);
  }
  d.rank_files = files.header().ranks;
  for (const auto& file : files.files()) d.file_bytes += file->file.size_bytes();
  for (const WholeTensor& tensor : files.header().tensors) {
    ModelDescription::TensorInfo info{tensor.name, name_of(tensor.type), {}, 0};
    info.bytes = source.find(tensor.name)->file_bytes;
    if (tensor.rows > 1) info.shape.push_back(tensor.rows);
    info.shape.push_back(tensor.cols);
    d.tensors.push_back(std::move(info));
  }
  if (const TensorEntry* embedding = source.find("token_embd.weight")) d.vocab = embedding->rows;
  return d;
}

ModelDescription describe_hf(const std::string& path) {
  const HfFolder folder(path);
  const SafetensorsFiles files = folder.weights();
  ModelDescription d = describe(folder.config());
  d.path = folder.path();
  d.name = folder_name(d.path);
  d.file_bytes = files.size_bytes();
  d.chat_template = folder.chat_template();
  for (const SafetensorsTensor& tensor : files.tensors()) {
    ModelDescription::TensorInfo info{tensor.name, name_of(tensor.type), {}, tensor.size_bytes};
    info.shape.assign(tensor.dims.begin(), tensor.dims.begin() + tensor.dim_count);
    d.tensors.push_back(std::move(info));
  }
  return d;
}

}  // namespace

ModelDescription describe_model(const std::string& name) {
  const std::string path = resolve_model(name);
  const std::vector<std::string> pieces = find_rank_files(path);
  ModelDescription d = !pieces.empty()     ? describe_pieces(pieces)
                       : is_hf_model(path) ? describe_hf(path)
                                           : describe_gguf(path);
  for (const ModelDescription::TensorInfo& tensor : d.tensors) {
    int64_t elements = 1;
    for (const int64_t size : tensor.shape) elements *= size;
    d.parameters += elements;
  }
  return d;
}

}  // namespace colonnade
