#include "colonnade/io/rank_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/base/text_file.h"
#include "colonnade/io/gguf_keys.h"

namespace colonnade {
namespace {

constexpr const char* kVersionKey = "colonnade.shard.version";
constexpr const char* kRank = "colonnade.shard.rank";
constexpr const char* kCount = "colonnade.shard.count";
constexpr const char* kShares = "colonnade.shard.shares";
constexpr const char* kModel = "colonnade.shard.model";
constexpr const char* kTensors = "colonnade.shard.tensors";  // names
constexpr const char* kTypes = "colonnade.shard.types";
constexpr const char* kShapes = "colonnade.shard.shapes";  // rows, cols of each
constexpr const char* kPieces =
    "colonnade.shard.pieces";  // rows begin, end, cols begin, end of each
constexpr int64_t kVersion = 1;
constexpr int64_t kMostRanks = 1 << 20;
constexpr int64_t kMostElements = int64_t{1} << 56;  // bytes of them are below 2^63

/// Reads the keys of one file.
class Reader {
 public:
  explicit Reader(const GgufFile& file) : path_(file.path()), metadata_(file.metadata()) {}

  RankFileHeader read() const {
    RankFileHeader header;
    const int64_t version = metadata_.integer(kVersionKey);
    check(version == kVersion, kVersionKey, "1: this file was cut by another version", version);
    const int64_t ranks = metadata_.integer(kCount);
    check(ranks >= 1 && ranks <= kMostRanks, kCount, "1 to 1048576", ranks);
    const int64_t rank = metadata_.integer(kRank);
    check(rank >= 0 && rank < ranks, kRank, concat("0 to ", ranks - 1), rank);
    header.rank = static_cast<int>(rank);
    header.ranks = static_cast<int>(ranks);
    header.model = metadata_.text(kModel);
    if (metadata_.has(kShares)) {
      header.shares = read_shares();
      check(static_cast<int64_t>(header.shares.size()) == ranks, kShares,
            concat("an f64 for each of ", ranks, " ranks"), header.shares.size());
    }
    read_tensors(header);
    read_pieces(header);
    return header;
  }

 private:
  template <typename T>
  void check(bool ok, const char* key, const std::string& expected, const T& got) const {
    CN_CHECK(ok, path_, ": metadata key ", quote(key), ": expected ", expected, ", got ", got);
  }

  /// All bits of them: another share could cut elsewhere. None if they are not f64.
  std::vector<double> read_shares() const {
    const auto* array =
        std::get_if<std::shared_ptr<const GgufArray>>(&metadata_.find(kShares)->data);
    if (array == nullptr || (*array)->element_type != GgufValueType::f64) return {};
    std::vector<double> shares(static_cast<size_t>((*array)->size));
    std::memcpy(shares.data(), (*array)->numbers.data(), shares.size() * sizeof(double));
    return shares;
  }

  std::vector<int64_t> table(const char* key, int64_t size) const {
    std::vector<int64_t> values = metadata_.integers(key);
    check(static_cast<int64_t>(values.size()) == size, key, concat(size, " numbers"),
          values.size());
    return values;
  }

  void read_tensors(RankFileHeader& header) const {
    const StringArray& names = metadata_.strings(kTensors);
    const std::vector<int64_t> types = table(kTypes, names.size());
    const std::vector<int64_t> shapes = table(kShapes, 2 * names.size());
    for (int64_t i = 0; i < names.size(); ++i) {
      const auto at = static_cast<size_t>(i);
      const auto number = static_cast<uint32_t>(types[at]);
      const GgmlTypeInfo* info = find_ggml_type(number);
      check(number == types[at] && info != nullptr && info->block_elements > 0, kTypes,
            readable_ggml_types(), types[at]);
      const int64_t rows = shapes[2 * at], cols = shapes[2 * at + 1];
      check(rows >= 1 && cols >= 1 && cols <= kMostElements / rows &&
                cols % info->block_elements == 0,
            kShapes, concat("rows and whole blocks of ", info->name), concat(rows, ", ", cols));
      header.tensors.push_back({std::string(names[i]), static_cast<GgmlType>(number), rows, cols});
    }
  }

  void read_pieces(RankFileHeader& header) const {
    const auto count = static_cast<int64_t>(header.tensors.size());
    const std::vector<int64_t> ends = table(kPieces, 4 * count);
    for (size_t i = 0; i < header.tensors.size(); ++i) {
      const WholeTensor& whole = header.tensors[i];
      const TensorPiece piece{{ends[4 * i], ends[4 * i + 1]}, {ends[4 * i + 2], ends[4 * i + 3]}};
      const int64_t block = info_of(whole.type).block_elements;
      const bool inside = piece.rows.begin >= 0 && piece.rows.begin <= piece.rows.end &&
                          piece.rows.end <= whole.rows && piece.cols.begin >= 0 &&
                          piece.cols.begin <= piece.cols.end && piece.cols.end <= whole.cols &&
                          piece.cols.begin % block == 0 && piece.cols.end % block == 0;
      check(inside, kPieces, concat("ranges inside of ", quote(whole.name)),
            concat("rows ", piece.rows.begin, " to ", piece.rows.end, ", columns ",
                   piece.cols.begin, " to ", piece.cols.end));
      header.pieces.push_back(piece);
    }
  }

  std::string path_;
  const GgufMetadata& metadata_;
};

/// The tensors of the file are those that its keys promise.
void check_tensors(const GgufFile& file, const RankFileHeader& header) {
  size_t held = 0;
  for (size_t i = 0; i < header.tensors.size(); ++i) {
    const TensorPiece& piece = header.pieces[i];
    if (piece.empty()) continue;
    ++held;
    const std::string& name = header.tensors[i].name;
    const GgufTensor* tensor = file.find(name);
    CN_CHECK(tensor != nullptr && tensor->type == header.tensors[i].type &&
                 tensor->rows() == piece.rows.size() && tensor->cols() == piece.cols.size(),
             file.path(), ": tensor ", quote(name), ": expected ", piece.rows.size(), " rows of ",
             piece.cols.size(), " elements of ", name_of(header.tensors[i].type),
             " as its keys say, got ",
             tensor == nullptr
                 ? std::string("no such tensor")
                 : concat(tensor->rows(), " of ", tensor->cols(), " of ", name_of(tensor->type)));
  }
  CN_CHECK(held == file.tensors().size(), file.path(), ": expected ", held,
           " tensors as its keys say, got ", file.tensors().size());
}

/// What stands in "STEM-rank-R-of-N.gguf".
struct RankFileName {
  std::string stem;
  int64_t rank = 0;
  int64_t ranks = 0;

  static std::optional<RankFileName> of(const std::string& name) {
    constexpr std::string_view kMiddle = "-rank-", kOf = "-of-", kEnd = ".gguf";
    const size_t middle = name.rfind(kMiddle);
    if (middle == name.npos || !name.ends_with(kEnd)) return std::nullopt;
    std::string_view numbers = std::string_view(name).substr(middle + kMiddle.size());
    numbers.remove_suffix(kEnd.size());
    const size_t of = numbers.find(kOf);
    if (of == numbers.npos) return std::nullopt;
    const auto rank = parse_integer(numbers.substr(0, of));
    const auto ranks = parse_integer(numbers.substr(of + kOf.size()));
    if (!rank || !ranks || *rank < 0 || *ranks > kMostRanks || *rank >= *ranks) return std::nullopt;
    return RankFileName{name.substr(0, middle), *rank, *ranks};
  }
};

}  // namespace

bool is_rank_file(const GgufMetadata& metadata) { return metadata.has(kVersionKey); }

RankFileHeader read_rank_header(const GgufFile& file) {
  RankFileHeader header = Reader(file).read();
  check_tensors(file, header);
  return header;
}

std::vector<GgufEntry> rank_metadata(const RankFileHeader& header) {
  std::vector<int64_t> types, shapes, pieces;
  for (const WholeTensor& tensor : header.tensors) {
    types.push_back(static_cast<int64_t>(tensor.type));
    shapes.insert(shapes.end(), {tensor.rows, tensor.cols});
  }
  for (const TensorPiece& piece : header.pieces)
    pieces.insert(pieces.end(),
                  {piece.rows.begin, piece.rows.end, piece.cols.begin, piece.cols.end});
  std::vector<std::string> names;
  for (const WholeTensor& tensor : header.tensors) names.push_back(tensor.name);
  GgufKeys keys;
  keys.integer(kVersionKey, kVersion);
  keys.integer(kRank, header.rank);
  keys.integer(kCount, header.ranks);
  keys.text(kModel, header.model);
  keys.texts(kTensors, names);
  keys.numbers(kTypes, types);
  keys.numbers(kShapes, shapes);
  keys.numbers(kPieces, pieces);
  if (!header.shares.empty()) keys.numbers(kShares, header.shares);
  return std::move(keys.entries);
}

std::vector<GgufTensorSpec> rank_tensors(const RankFileHeader& header) {
  std::vector<GgufTensorSpec> specs;
  for (size_t i = 0; i < header.tensors.size(); ++i) {
    const TensorPiece& piece = header.pieces[i];
    if (piece.empty()) continue;
    GgufTensorSpec spec{header.tensors[i].name, header.tensors[i].type, {piece.cols.size()}};
    if (header.tensors[i].rows > 1) spec.dims.push_back(piece.rows.size());
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::string rank_file_name(const std::string& stem, int rank, int ranks) {
  return concat(stem, "-rank-", rank, "-of-", ranks, ".gguf");
}

std::vector<std::string> find_rank_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  std::set<std::pair<std::string, int64_t>> models;
  if (folder) {
    for (const auto& entry : fs::directory_iterator(path)) {
      if (const auto name = RankFileName::of(entry.path().filename().string()))
        models.emplace(name->stem, name->ranks);
    }
  } else if (const auto name = RankFileName::of(fs::path(path).filename().string())) {
    models.emplace(name->stem, name->ranks);
  }
  if (models.empty()) return {};
  CN_CHECK(models.size() == 1, path, ": is a folder with rank files of ", models.size(),
           " models: give the path of one file of the model that is meant");
  const auto& [stem, ranks] = *models.begin();
  const fs::path place = folder ? fs::path(path) : fs::path(path).parent_path();
  std::vector<std::string> paths;
  for (int64_t rank = 0; rank < ranks; ++rank)
    paths.push_back(
        (place / rank_file_name(stem, static_cast<int>(rank), static_cast<int>(ranks))).string());
  return paths;
}

}  // namespace colonnade
