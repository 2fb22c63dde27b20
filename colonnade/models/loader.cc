#include "colonnade/models/loader.h"

#include <algorithm>
#include <set>
#include <string>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

/// "a, b, c and 7 more"
std::string first_ten(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 10; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > 10) text += concat(" and ", names.size() - 10, " more");
  return text;
}

const TensorEntry& entry_of(const ParamSet& params, const std::string& name) {
  const TensorEntry* entry = params.source().find(name);
  CN_CHECK(entry != nullptr, params.source().place(), ": tensor ", quote(name), " is missing");
  return *entry;
}

/// "blk.0.attn_q.weight (model.layers.0.self_attn.q_proj.weight in the file)": as layers and files
/// call it.
std::string both_names(const std::string& name, const std::string& in_file) {
  return name == in_file ? quote(name) : concat(quote(name), " (", quote(in_file), " in the file)");
}

KCut cut_of(const MatrixParam& param) {
  return {param.cols, param.col_range,
          param.leaf.kind == LeafRule::ordinary ? kLeaf : param.leaf.size};
}

/// "blk.0.attn_q" for "blk.0.attn_q.weight"
std::string layer_name(const std::string& name) {
  const size_t dot = name.rfind(".weight");
  return dot == std::string::npos ? name : name.substr(0, dot);
}

void load_matrix(const ParamSet& params, const MatrixParam& param, Device& device, Tier tier) {
  const MatrixSlice slice{param.row_range, param.col_range, param.interleaved_head};
  const TensorEntry& entry = entry_of(params, param.name);
  *param.slot = device.pack(weight_spec(params, param, tier), params.source().rows(entry, slice));
}

void load_vector(const ParamSet& params, const VectorParam& param, Device& device) {
  const std::vector<float> values = params.source().values(entry_of(params, param.name));
  Tensor tensor = make_tensor(device, {param.range.size()});
  for (int64_t i = 0; i < param.range.size(); ++i) {
    int64_t at = param.range.begin + i;
    if (param.interleaved_head > 0) at = interleaved_row(at, param.interleaved_head);
    tensor.f32()[i] = values[static_cast<size_t>(at)];
  }
  *param.slot = tensor;
}

}  // namespace

void check_params(const ParamSet& params, const std::vector<std::string>& ignorable) {
  const TensorSource& source = params.source();
  std::vector<std::string> missing, unused;
  std::set<std::string> declared(ignorable.begin(), ignorable.end());
  const auto check = [&](const std::string& name, int64_t rows, int64_t cols) {
    declared.insert(name);
    const TensorEntry* entry = source.find(name);
    if (entry == nullptr) {
      missing.push_back(both_names(name, source.name_in_files(name)));
      return;
    }
    CN_CHECK(entry->rows == rows && entry->cols == cols, source.place(), ": tensor ",
             both_names(name, entry->file_name), ": expected [", rows, ", ", cols, "], got [",
             entry->rows, ", ", entry->cols, "]: configuration and file contradict each other");
  };
  for (const MatrixParam& param : params.matrices()) check(param.name, param.rows, param.cols);
  for (const VectorParam& param : params.vectors()) check(param.name, 1, param.size);
  for (const TensorEntry& entry : source.entries()) {
    if (declared.count(entry.name) == 0) unused.push_back(quote(entry.file_name));
  }
  CN_CHECK(missing.empty(), source.place(), ": tensors that the model needs are missing (",
           missing.size(), "): ", first_ten(missing),
           unused.empty() ? "" : "; there are tensors that nothing uses: ", first_ten(unused));
  CN_CHECK(unused.empty(), source.place(),
           ": there are tensors that this architecture does not use (", unused.size(),
           "): ", first_ten(unused));
}

WeightSpec weight_spec(const ParamSet& params, const MatrixParam& param, Tier tier) {
  const TensorEntry& entry = entry_of(params, param.name);
  return {.name = layer_name(param.name),
          .format = entry.format,
          .rows = param.row_range.size(),
          .plan = KPlan(entry.format, cut_of(param)),
          .tier = has_integers(entry.format) ? tier : Tier::f32};
}

namespace {

/// This rank's share of a matrix.
double part_of(const MatrixParam& param) {
  return static_cast<double>(param.row_range.size()) * static_cast<double>(param.col_range.size()) /
         (static_cast<double>(param.rows) * static_cast<double>(param.cols));
}

/// Bytes of the file that hold it.
int64_t slice_bytes(const ParamSet& params, const MatrixParam& param) {
  return static_cast<int64_t>(part_of(param) *
                              static_cast<double>(entry_of(params, param.name).file_bytes));
}

}  // namespace

int64_t share_bytes(const ParamSet& params) {
  int64_t bytes = 0;
  for (const MatrixParam& param : params.matrices()) bytes += slice_bytes(params, param);
  return bytes;
}

void load_params(const ParamSet& params, Device& device, Tier tier,
                 const std::function<void(int64_t)>& progress) {
  int64_t done = 0;
  for (const VectorParam& param : params.vectors()) load_vector(params, param, device);
  for (const MatrixParam& param : params.matrices()) {
    load_matrix(params, param, device, tier);
    done += slice_bytes(params, param);
    if (progress) progress(done);
  }
}

}  // namespace colonnade
