// A model that is nothing but its shape: configuration and tensor list without data, as large as
// one likes. Include it only where the folder links models.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "colonnade/io/tensor_source.h"
#include "colonnade/models/decoder_config.h"

namespace colonnade::test {

struct ModelShape {
  const char* name = "";
  int64_t layers = 0;
  int64_t dim = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int64_t ffn_dim = 0;
  int64_t vocab = 0;
  bool tied = true;
};

class ShapeSource final : public TensorSource {
 public:
  ShapeSource(const ModelShape& s, WeightFormat format) {
    const int64_t q = int64_t{s.heads} * s.head_dim, kv = int64_t{s.kv_heads} * s.head_dim;
    add("token_embd.weight", s.vocab, s.dim, format);
    if (!s.tied) add("output.weight", s.vocab, s.dim, format);
    add("output_norm.weight", 1, s.dim, WeightFormat::f32);
    for (int64_t i = 0; i < s.layers; ++i) {
      const std::string p = "blk." + std::to_string(i) + ".";
      add(p + "attn_norm.weight", 1, s.dim, WeightFormat::f32);
      add(p + "attn_q.weight", q, s.dim, format);
      add(p + "attn_k.weight", kv, s.dim, format);
      add(p + "attn_v.weight", kv, s.dim, format);
      add(p + "attn_output.weight", s.dim, q, format);
      add(p + "ffn_norm.weight", 1, s.dim, WeightFormat::f32);
      add(p + "ffn_gate.weight", s.ffn_dim, s.dim, format);
      add(p + "ffn_up.weight", s.ffn_dim, s.dim, format);
      add(p + "ffn_down.weight", s.dim, s.ffn_dim, format);
    }
  }

  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override {
    const auto it = index_.find(name);
    return it == index_.end() ? nullptr : &entries_[it->second];
  }
  RowSource rows(const TensorEntry&, const MatrixSlice&) const override { return {}; }
  std::vector<float> values(const TensorEntry&) const override { return {}; }

  /// For a layer unlike the others.
  void set_format(std::string_view name, WeightFormat format) {
    entries_[index_.find(name)->second].format = format;
  }

 private:
  void add(const std::string& name, int64_t rows, int64_t cols, WeightFormat format) {
    index_[name] = entries_.size();
    entries_.push_back({name, format, rows, cols, 0});
  }

  std::vector<TensorEntry> entries_;
  std::map<std::string, size_t, std::less<>> index_;
};

inline DecoderConfig config_of(const ModelShape& s) {
  DecoderConfig c;
  c.architecture = "llama";
  c.name = s.name;
  c.layers = s.layers;
  c.dim = s.dim;
  c.ffn_dim = s.ffn_dim;
  c.vocab = s.vocab;
  c.context = 131072;
  c.heads = s.heads;
  c.kv_heads = s.kv_heads;
  c.head_dim = s.head_dim;
  c.rotary_dim = s.head_dim;
  c.kinds.resize(static_cast<size_t>(s.layers));
  return c;
}

}  // namespace colonnade::test
