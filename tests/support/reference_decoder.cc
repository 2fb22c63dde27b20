#include "tests/support/reference_decoder.h"

#include <algorithm>
#include <cmath>

namespace colonnade::test {
namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

class Reference {
 public:
  explicit Reference(const ReferenceModel& model) : m_(model) {}

  Rows run(const std::vector<int32_t>& ids) const {
    Rows x;
    const auto& table = m_.tensors.at("token_embd.weight");
    for (const int32_t id : ids) {
      x.emplace_back(table.values.begin() + id * table.cols,
                     table.values.begin() + (id + 1) * table.cols);
    }
    for (int layer = 0; layer < m_.layers; ++layer) {
      const std::string p = "blk." + std::to_string(layer) + ".";
      attention(p, x);
      for (Row& row : x) mlp(p, row);
    }
    const bool tied = m_.tensors.count("output.weight") == 0;
    Rows logits;
    for (const Row& row : x) {
      logits.push_back(product(tied ? "token_embd" : "output", norm("output_norm", row)));
    }
    return logits;
  }

 private:
  Row product(const std::string& name, const Row& x) const {
    const auto& w = m_.tensors.at(name + ".weight");
    Row y(static_cast<size_t>(w.rows));
    for (int64_t r = 0; r < w.rows; ++r) {
      for (int64_t k = 0; k < w.cols; ++k) y[r] += w.values[r * w.cols + k] * x[k];
    }
    const auto bias = m_.tensors.find(name + ".bias");
    if (bias != m_.tensors.end()) {
      for (int64_t r = 0; r < w.rows; ++r) y[r] += bias->second.values[r];
    }
    return y;
  }

  Row norm(const std::string& name, const Row& x) const {
    const auto& w = m_.tensors.at(name + ".weight").values;
    double squares = 0;
    for (const double v : x) squares += v * v;
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(x.size()) + m_.eps);
    Row y(x.size());
    for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] * inverse * w[i];
    return y;
  }

  /// Head `h` of a row of q or k: normalised if the model does, and rotated.
  Row head(const std::string& norm_name, const Row& all, int h, int position) const {
    Row x(all.begin() + h * m_.head_dim, all.begin() + (h + 1) * m_.head_dim);
    if (m_.tensors.count(norm_name + ".weight") != 0) x = norm(norm_name, x);
    const int half = m_.rotary_dim / 2;
    for (int i = 0; i < half; ++i) {
      const double angle = position * std::pow(m_.rope_theta, -2.0 * i / m_.rotary_dim);
      double& first = x[m_.adjacent_pairs ? 2 * i : i];
      double& second = x[m_.adjacent_pairs ? 2 * i + 1 : i + half];
      const double a = first, b = second;
      first = a * std::cos(angle) - b * std::sin(angle);
      second = b * std::cos(angle) + a * std::sin(angle);
    }
    return x;
  }

  void attention(const std::string& p, Rows& x) const {
    Rows q, k, v;
    for (const Row& row : x) {
      const Row n = norm(p + "attn_norm", row);
      q.push_back(product(p + "attn_q", n));
      k.push_back(product(p + "attn_k", n));
      v.push_back(product(p + "attn_v", n));
    }
    for (size_t t = 0; t < x.size(); ++t) {
      Row heads;
      for (int h = 0; h < m_.heads; ++h) attend(p, q, k, v, static_cast<int>(t), h, heads);
      const Row y = product(p + "attn_output", heads);
      for (size_t i = 0; i < y.size(); ++i) x[t][i] += y[i];
    }
  }

  void attend(const std::string& p, const Rows& q, const Rows& k, const Rows& v, int t, int h,
              Row& out) const {
    const int kv = h / (m_.heads / m_.kv_heads);
    const Row query = head(p + "attn_q_norm", q[t], h, t);
    Row scores;
    for (int s = 0; s <= t; ++s) {
      const Row key = head(p + "attn_k_norm", k[s], kv, s);
      double dot = 0;
      for (int i = 0; i < m_.head_dim; ++i) dot += query[i] * key[i];
      scores.push_back(dot / std::sqrt(m_.head_dim));
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& s : scores) sum += s = std::exp(s - most);
    for (int i = 0; i < m_.head_dim; ++i) {
      double value = 0;
      for (int s = 0; s <= t; ++s) value += scores[s] / sum * v[s][kv * m_.head_dim + i];
      out.push_back(value);
    }
  }

  void mlp(const std::string& p, Row& x) const {
    const Row n = norm(p + "ffn_norm", x);
    Row gate = product(p + "ffn_gate", n);
    const Row up = product(p + "ffn_up", n);
    for (size_t i = 0; i < gate.size(); ++i) gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
    const Row y = product(p + "ffn_down", gate);
    for (size_t i = 0; i < y.size(); ++i) x[i] += y[i];
  }

  const ReferenceModel& m_;
};

}  // namespace

std::vector<std::vector<double>> reference_logits(const ReferenceModel& model,
                                                  const std::vector<int32_t>& ids) {
  return Reference(model).run(ids);
}

}  // namespace colonnade::test
