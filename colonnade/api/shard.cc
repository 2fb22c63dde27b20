#include "colonnade/api/shard.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "colonnade/api/plan.h"
#include "colonnade/api/row_items.h"
#include "colonnade/api/whole_model.h"
#include "colonnade/base/cpu_float_env.h"
#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/base/sha256.h"
#include "colonnade/io/rank_writer.h"
#include "colonnade/models/decoder.h"

namespace colonnade {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kItemBytes = 4 << 20;      // of the model that a thread has in memory at a time
constexpr int64_t kDigestedBytes = 4 << 10;  // of each tensor, or a row

/// What tells models apart: names, types, shapes, and how each tensor begins. All bytes would cost
/// a second reading of the model.
std::string digest_of(const WholeModel& model) {
  Sha256 digest;
  for (size_t i = 0; i < model.tensors().size(); ++i) {
    const WholeTensor& tensor = model.tensors()[i];
    const std::string what =
        concat(tensor.name, " ", name_of(tensor.type), " ", tensor.rows, " ", tensor.cols, "\n");
    digest.update(std::as_bytes(std::span(what)));
    const int64_t rows = std::max<int64_t>(1, kDigestedBytes / model.row_bytes(i));
    digest.update(model.read(i, {0, std::min(rows, tensor.rows)}));
  }
  return digest.hex();
}

/// The smallest piece of whole blocks that holds what the rank needs.
TensorPiece piece_of(const MatrixParam& param, GgmlType type) {
  if (param.row_range.empty() || param.col_range.empty()) return {};
  const int64_t block = info_of(type).block_elements;
  return {
      param.row_range,
      {param.col_range.begin / block * block, (param.col_range.end + block - 1) / block * block}};
}

/// What the layers of one rank declare. What they do not declare as a matrix is small: whole.
RankFileHeader header_of(const WholeModel& model, const ShardModelRequest& request, int rank,
                         const std::string& digest) {
  ParamSet params(model.files().source(), {rank, request.ranks, request.shares});
  const Decoder decoder(params, model.files().config());
  std::map<std::string, const MatrixParam*> matrices;
  for (const MatrixParam& param : params.matrices()) matrices[param.name] = &param;
  RankFileHeader header;
  header.rank = rank;
  header.ranks = request.ranks;
  header.shares = request.shares;
  header.model = digest;
  header.tensors = model.tensors();
  for (const WholeTensor& tensor : header.tensors) {
    const auto found = matrices.find(tensor.name);
    header.pieces.push_back(found == matrices.end()
                                ? TensorPiece{{0, tensor.rows}, {0, tensor.cols}}
                                : piece_of(*found->second, tensor.type));
  }
  return header;
}

std::string prepare_folder(const std::string& folder, const std::string& stem, int ranks) {
  std::error_code error;
  fs::create_directories(folder, error);
  CN_CHECK(fs::is_directory(folder), folder,
           ": expected a folder to write to, cannot make one: ", error.message());
  const std::string place = (fs::path(folder) / stem).string();
  const std::vector<std::string> there = find_rank_files(folder);
  CN_CHECK(there.empty() || there.front() == rank_file_name(place, 0, ranks), folder,
           ": holds rank files of another model or cut (", there.front(),
           "): choose another folder, or remove them");
  return place;
}

void write_rows(const WholeModel& model, const ShardModelRequest& request, RankWriter& writer) {
  std::vector<RowsOfTensor> rows;
  for (size_t i = 0; i < model.tensors().size(); ++i) {
    const int64_t row_bytes = model.row_bytes(i);
    rows.push_back(
        {model.tensors()[i].rows, row_bytes, std::max<int64_t>(1, kItemBytes / row_bytes)});
  }
  for_row_items(rows, request.threads, request.progress, [&](const RowItem& item) {
    writer.write(item.tensor, item.rows, model.read(item.tensor, item.rows));
  });
}

}  // namespace

ShardModelReport shard_model(const ShardModelRequest& request) {
  const FloatEnvironment environment;
  const std::unique_ptr<WholeModel> model = open_whole_model(request.model);
  check_request(model->files().source(), model->files().config(),
                {.ranks = request.ranks, .shares = request.shares});
  const std::string digest = digest_of(*model);
  std::vector<RankFileHeader> headers;
  for (int rank = 0; rank < request.ranks; ++rank)
    headers.push_back(header_of(*model, request, rank, digest));
  RankWriter writer(prepare_folder(request.folder, model->stem(), request.ranks), model->metadata(),
                    std::move(headers));
  write_rows(*model, request, writer);
  writer.commit();
  ShardModelReport report{
      .paths = writer.paths(), .file_bytes = {}, .model_bytes = model->files().size_bytes()};
  for (size_t rank = 0; rank < report.paths.size(); ++rank)
    report.file_bytes.push_back(writer.size_bytes(rank));
  return report;
}

}  // namespace colonnade
