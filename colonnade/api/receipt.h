// Receipt: what an answer was computed from and what came of it, so that anybody who has the model
// can compute it again and compare bits.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/dtype.h"
#include "colonnade/base/file.h"
#include "colonnade/base/numerics_version.h"
#include "colonnade/engine/generator.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

constexpr int kReceiptVersion = 1;

struct FileDigest {
  std::string name;  // without its folder
  int64_t bytes = 0;
  std::string sha256;
};

struct ReceiptStep {
  int32_t token = 0;          // that was chosen
  std::string logits_sha256;  // of the logits that it was chosen from: [V] f32, little-endian
};

/// Decides no bit.
struct RanOn {
  std::string version;  // of Colonnade
  int ranks = 1;
  std::vector<double> shares;  // empty: equal
  int threads = 1;             // of all ranks
  std::string device;
};

struct Receipt {
  int numerics = kNumericsVersion;
  std::string architecture;
  std::vector<FileDigest> files;  // of the model: all shards
  Tier precision = Tier::int8;
  DType cache = DType::bf16;
  std::vector<int32_t> prompt;
  SamplingOptions sampling;  // with its seed
  int32_t choice = 0;
  std::vector<ReceiptStep> steps;
  RanOn ran_on;

  /// The request that gives the same answer: as many tokens, whatever they are.
  GenerationRequest request() const;
};

std::string logits_digest(std::span<const float> logits);

/// Digests of all files of a model. `on_block(done, all)` is called behind every block and may
/// throw.
using DigestProgress = std::function<void(int64_t done_bytes, int64_t all_bytes)>;
std::vector<FileDigest> digest_files(const std::vector<File>& files,
                                     const DigestProgress& on_block);

/// The text of a receipt, one JSON object with a line for each field and each step. Throws Error if
/// nothing was generated.
std::string write_receipt(const Receipt& receipt);

/// Throws Error that begins with `where` and names the field: no JSON, another format or version, a
/// field that is missing, unknown, of another type or out of range.
Receipt read_receipt(std::string_view text, const std::string& where);

}  // namespace colonnade
