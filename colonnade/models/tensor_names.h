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

/// Where files have what the layers call `name`: the other way round.
struct FilePlace {
  std::string file_name;
  Piece piece = Piece::whole;
  int64_t expert = 0;  // of a piece of experts
};
/// Of a name that no rule has: the same name.
FilePlace place_in_files(std::string_view name, std::span<const NameRule> rules);

/// What names in files may begin with, and what rules have in its place.
struct NamePrefix {
  const char* in_files;
  const char* in_rules;
};

struct FileNames {
  std::span<const NameRule> rules = {};
  std::span<const NamePrefix> prefixes = {};  // the first that a name has is replaced
  std::span<const char* const> ignored = {};  // names that begin so are of parts that are not read
};

/// The tensors of `files` under the names of the rules; those that no rule names keep their own.
class NamedSource final : public TensorSource {
 public:
  /// `files` and the lists must outlive it. Throws Error if a tensor has not the rows of its
  /// pieces, or two get one name.
  NamedSource(const TensorSource& files, FileNames names, const DecoderConfig& config);

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

  /// Tensors of the files that are of parts that are not read.
  const std::vector<std::string>& ignored() const { return ignored_; }

 private:
  /// The name as rules have it.
  std::string without_prefix(std::string_view name);

  const TensorSource& files_;
  FileNames names_;
  NamePrefix prefix_ = {"", ""};  // that names in these files have
  std::vector<std::string> ignored_;
  std::vector<TensorEntry> entries_;
  std::map<std::string, size_t, std::less<>> by_name_;
};

}  // namespace colonnade
