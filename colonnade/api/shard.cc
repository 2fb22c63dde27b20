#include "colonnade/api/shard.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>

#include "colonnade/api/export_model.h"
#include "colonnade/api/model_files.h"
#include "colonnade/api/plan.h"
#include "colonnade/base/cpu_float_env.h"
#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/error.h"
#include "colonnade/base/parallel_items.h"
#include "colonnade/base/quote.h"
#include "colonnade/base/sha256.h"
#include "colonnade/io/gguf.h"
#include "colonnade/io/hf_folder.h"
#include "colonnade/io/hub_cache.h"
#include "colonnade/io/rank_writer.h"
#include "colonnade/models/decoder.h"

namespace colonnade {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kItemBytes = 4 << 20;     // of the model that a thread has in memory at a time
constexpr size_t kDigestedBytes = 4 << 10;  // of each tensor

/// What tells models apart: names, types, shapes, and how each tensor begins. All bytes would cost
/// a second reading of the model.
std::string digest_of(const GgufFile& file) {
  Sha256 digest;
  const auto add = [&](const std::string& text) { digest.update(std::as_bytes(std::span(text))); };
  std::vector<std::byte> start;
  for (const GgufTensor& tensor : file.tensors()) {
    add(concat(tensor.name, " ", name_of(tensor.type), " ", tensor.rows(), " ", tensor.cols(),
               "\n"));
    start.resize(std::min(kDigestedBytes, static_cast<size_t>(tensor.size_bytes)));
    file.read(tensor, 0, start);
    digest.update(start);
  }
  return digest.hex();
}

/// The model's tensors under the layers' names, as the file holds them.
class WholeModel {
 public:
  explicit WholeModel(const std::string& path) : files_(path), raw_(path) {
    for (const TensorEntry& entry : source().entries()) {
      const GgufTensor& tensor = tensor_of(entry);
      CN_CHECK(!entry.transposed && entry.add == 0, raw_.path(), ": tensor ",
               quote(entry.file_name), ": cannot be cut as it stands in the file");
      tensors_.push_back({entry.name, is_part_of_vector(entry) ? GgmlType::f32 : tensor.type,
                          entry.rows, entry.cols});
    }
  }

  const TensorSource& source() const { return files_.source(); }
  const DecoderConfig& config() const { return files_.config(); }
  const GgufFile& raw() const { return raw_; }
  const std::vector<WholeTensor>& tensors() const { return tensors_; }

  int64_t row_bytes(size_t index) const {
    const GgmlTypeInfo& info = info_of(tensors_[index].type);
    return tensors_[index].cols / info.block_elements * info.block_bytes;
  }

  /// Rows of tensor `index` as they stand in its type.
  std::vector<std::byte> read(size_t index, Range rows) const {
    const TensorEntry& entry = source().entries()[index];
    std::vector<std::byte> out(static_cast<size_t>(rows.size() * row_bytes(index)));
    if (is_part_of_vector(entry)) {
      const std::vector<float> values = source().values(entry);
      std::ranges::copy(std::as_bytes(std::span(values)), out.begin());
      return out;
    }
    const MatrixSlice slice{rows, {0, entry.cols}};
    for (int64_t row = 0; row < rows.size();) {
      const int64_t count = rows_together(entry, slice, row);
      raw_.read(tensor_of(entry), file_row(entry, slice, row) * row_bytes(index),
                std::span(out).subspan(static_cast<size_t>(row * row_bytes(index)),
                                       static_cast<size_t>(count * row_bytes(index))));
      row += count;
    }
    return out;
  }

 private:
  const GgufTensor& tensor_of(const TensorEntry& entry) const {
    return *raw_.find(entry.file_name);
  }

  bool is_part_of_vector(const TensorEntry& entry) const {
    return entry.rows == 1 && entry.cols != tensor_of(entry).elements();
  }

  ModelFiles files_;
  GgufFile raw_;
  std::vector<WholeTensor> tensors_;
};

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
  ParamSet params(model.source(), {rank, request.ranks, request.shares});
  const Decoder decoder(params, model.config());
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

void check_source(const std::string& model) {
  const std::string path = resolve_model(model);
  CN_CHECK(
      !is_hf_model(path), path,
      ": expected a GGUF model to cut, got a folder of Hugging Face's form: make a GGUF file of "
      "it first (colonnade quantize --type BF16)");
  CN_CHECK(find_rank_files(path).empty(), path,
           ": is cut already: expected the whole model, which can be cut for any number of ranks");
}

/// "model" of "place/model-00001-of-00003.gguf"
std::string stem_of(const GgufFile& file) {
  const std::string name = fs::path(file.path()).stem().string();
  constexpr size_t kSplitEnd = std::string_view("-00001-of-00003").size();
  return file.files().size() > 1 ? name.substr(0, name.size() - kSplitEnd) : name;
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

struct Item {
  size_t tensor = 0;
  Range rows;
};

std::vector<Item> items_of(const WholeModel& model) {
  std::vector<Item> items;
  for (size_t i = 0; i < model.tensors().size(); ++i) {
    const int64_t step = std::max<int64_t>(1, kItemBytes / model.row_bytes(i));
    for (int64_t row = 0; row < model.tensors()[i].rows; row += step)
      items.push_back({i, {row, std::min(model.tensors()[i].rows, row + step)}});
  }
  return items;
}

void write_rows(const WholeModel& model, const ShardModelRequest& request, RankWriter& writer) {
  const std::vector<Item> items = items_of(model);
  std::atomic<int64_t> done{0};  // relaxed: shown, orders nothing
  int64_t all = 0;
  for (const Item& item : items) all += item.rows.size() * model.row_bytes(item.tensor);
  const auto work = [&](int64_t i) {
    const Item& item = items[static_cast<size_t>(i)];
    const std::vector<std::byte> bytes = model.read(item.tensor, item.rows);
    writer.write(item.tensor, item.rows, bytes);
    done.fetch_add(static_cast<int64_t>(bytes.size()), std::memory_order_relaxed);
  };
  const auto between = [&] {
    if (request.progress) request.progress(done.load(std::memory_order_relaxed), all);
  };
  const int threads =
      request.threads > 0 ? request.threads : default_thread_count(read_cpu_topology());
  parallel_items(threads, static_cast<int64_t>(items.size()), work, between);
}

}  // namespace

ShardModelReport shard_model(const ShardModelRequest& request) {
  const FloatEnvironment environment;
  check_source(request.model);
  const WholeModel model(request.model);
  check_request(model.source(), model.config(), {.ranks = request.ranks, .shares = request.shares});
  const std::string digest = digest_of(model.raw());
  std::vector<RankFileHeader> headers;
  for (int rank = 0; rank < request.ranks; ++rank)
    headers.push_back(header_of(model, request, rank, digest));
  RankWriter writer(prepare_folder(request.folder, stem_of(model.raw()), request.ranks),
                    open_export_model(request.model)->metadata(), std::move(headers));
  write_rows(model, request, writer);
  writer.commit();
  ShardModelReport report{
      .paths = writer.paths(), .file_bytes = {}, .model_bytes = model.raw().size_bytes()};
  for (size_t rank = 0; rank < report.paths.size(); ++rank)
    report.file_bytes.push_back(writer.size_bytes(rank));
  return report;
}

}  // namespace colonnade
