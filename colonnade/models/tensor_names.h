// Tensors of a family under the names that the layers ask for, whatever the files call them and
// whichever of them stand fused in one tensor.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/io/tensor_source.h"
#include "colonnade/models/decoder_config.h"

namespace colonnade {

/// Which part of a file's tensor a rule means.
enum class Piece : uint8_t {
  whole,
  // Rows of q, k and v one behind the other.
  q,
  k,
  v,
  // Heads in turn, each with its rows of q, k and v.
  q_of_heads,
  k_of_heads,
  v_of_heads,
  // Two halves of the rows; even and odd rows.
  first_half,
  second_half,
  // Experts one behind the other, and of each a half, or its even or odd rows.
  expert,
  expert_even,
  expert_odd,
  // No parameter: the tensor is left out.
  unused,
};

enum class Form : uint8_t { as_it_is, transposed, minus_one };

/// '#' stands for a layer's number and '@' for an expert's. Of names that do not end in ".weight"
/// or
/// ".bias" the ending is kept: {"blk.#.attn_q", "model.layers.#.self_attn.q_proj"} names weights
/// and biases.
struct NameRule {
  const char* name;  // as the layers ask: "blk.#.ffn_gate.@"
  const char* file_name;
  Piece piece = Piece::whole;
  Form form = Form::as_it_is;
};

/// The tensors of `files` under the names of `rules`; those that no rule names keep their own.
class NamedSource final : public TensorSource {
 public:
  /// `files` must outlive it. File names may begin with `prefix`, which rules do not have. Throws
  /// Error if a tensor has not the rows of its pieces, or two get one name.
  NamedSource(const TensorSource& files, std::span<const NameRule> rules,
              const DecoderConfig& config, std::string_view prefix = {});

  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override;
  RowSource rows(const TensorEntry& entry, const MatrixSlice& slice) const override {
    return files_.rows(entry, slice);
  }
  std::vector<float> values(const TensorEntry& entry) const override {
    return files_.values(entry);
  }
  std::string place() const override { return files_.place(); }
  std::string name_in_files(std::string_view name) const override;

 private:
  const TensorSource& files_;
  std::span<const NameRule> rules_;
  std::string prefix_;  // that the files' names have
  std::vector<TensorEntry> entries_;
  std::map<std::string, size_t, std::less<>> by_name_;
};

}  // namespace colonnade
