#include "colonnade/io/piece_source.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/ggml_blocks.h"
#include "colonnade/io/named_tensors.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade {
namespace {

void check_rank(const PieceFiles::Opened& opened, int rank, const PieceFiles::Opened& first,
                size_t ranks) {
  const RankFileHeader& header = opened.header;
  const std::string& path = opened.file.path();
  CN_CHECK(header.rank == rank && header.ranks == static_cast<int>(ranks), path, ": expected rank ",
           rank, " of ", ranks, " by its name, but the file says that it is rank ", header.rank,
           " of ", header.ranks);
  CN_CHECK(header.model == first.header.model && header.tensors == first.header.tensors &&
               header.shares == first.header.shares,
           path, ": is a piece of another model, or was cut otherwise, than ", first.file.path());
}

std::vector<int> all_ranks(size_t count) {
  std::vector<int> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

PieceFiles::PieceFiles(const std::vector<std::string>& paths)
    : PieceFiles(paths, all_ranks(paths.size())) {}

PieceFiles::PieceFiles(const std::vector<std::string>& paths, const std::vector<int>& ranks) {
  for (int rank = 0; rank < static_cast<int>(paths.size()); ++rank) {
    const std::string& path = paths[static_cast<size_t>(rank)];
    if (std::ranges::find(ranks, rank) == ranks.end()) {
      missing_ += (missing_.empty() ? "" : ", ") + path;
      continue;
    }
    std::error_code ignored;
    CN_CHECK(std::filesystem::exists(path, ignored), path, ": the file of rank ", rank, " of ",
             paths.size(), " is missing: the model was cut into ", paths.size(), " files");
    files_.push_back(std::make_unique<const Opened>(path));
    check_rank(*files_.back(), rank, *files_.front(), paths.size());
  }
  CN_ASSERT(!files_.empty(), "PieceFiles: no files");
}

/// A slice as the tiles that it is put together from: bands of rows, each of some columns side by
/// side.
class PieceSource::Tiles {
 public:
  Tiles(WeightFormat format, Range cols) : format_(format), cols_(cols) {}

  void add(Tile tile) { tiles_.push_back(std::move(tile)); }

  void grouped(Range rows, GroupedRows& out) const {
    if (const Tile* tile = only_tile(rows)) {
      tile->source.grouped(shifted(rows, *tile), out);
      out.begin = cols_.begin;  // a piece begins at a block: groups are counted alike
      return;
    }
    out.reshape(format_, rows.size(), cols_.begin, cols_.size());
    Offsets offsets;
    GroupedRows part;
    for (const Tile& tile : tiles_) {
      const Range common = intersection(rows, tile.rows);
      if (common.empty()) continue;
      if (tile.cols.begin == 0) offsets = {};
      tile.source.grouped(shifted(common, tile), part);
      offsets.put(part, common.begin - rows.begin, out);
    }
  }

  void dense(Range rows, int64_t element_bytes, std::byte* out) const {
    const int64_t row_bytes = cols_.size() * element_bytes;
    std::vector<std::byte> part;
    for (const Tile& tile : tiles_) {
      const Range common = intersection(rows, tile.rows);
      if (common.empty()) continue;
      std::byte* to = out + (common.begin - rows.begin) * row_bytes;
      if (tile.cols.size() == cols_.size()) {
        tile.source.dense(shifted(common, tile), to);
        continue;
      }
      const int64_t part_bytes = tile.cols.size() * element_bytes;
      part.resize(static_cast<size_t>(common.size() * part_bytes));
      tile.source.dense(shifted(common, tile), part.data());
      for (int64_t row = 0; row < common.size(); ++row)
        std::memcpy(to + row * row_bytes + tile.cols.begin * element_bytes,
                    part.data() + row * part_bytes, static_cast<size_t>(part_bytes));
    }
  }

 private:
  static Range intersection(Range a, Range b) {
    const int64_t begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
  }
  static Range shifted(Range rows, const Tile& tile) {
    return {rows.begin - tile.rows.begin, rows.end - tile.rows.begin};
  }

  const Tile* only_tile(Range rows) const {
    for (const Tile& tile : tiles_) {
      const bool whole = tile.cols.size() == cols_.size();
      if (whole && tile.rows.begin <= rows.begin && rows.end <= tile.rows.end) return &tile;
    }
    return nullptr;
  }

  /// Where the next tile of a band goes in each array of a row. Tiles meet at blocks, so none of
  /// their groups is shared.
  struct Offsets {
    int64_t codes = 0, scales = 0, offsets = 0, sub_scales = 0, sub_offsets = 0;

    void put(const GroupedRows& part, int64_t row, GroupedRows& out) {
      put(part.codes, part.rows, row, codes, out.codes, out.rows);
      put(part.scales, part.rows, row, scales, out.scales, out.rows);
      put(part.offsets, part.rows, row, offsets, out.offsets, out.rows);
      put(part.sub_scales, part.rows, row, sub_scales, out.sub_scales, out.rows);
      put(part.sub_offsets, part.rows, row, sub_offsets, out.sub_offsets, out.rows);
    }

    template <typename T>
    static void put(const std::vector<T>& part, int64_t part_rows, int64_t row, int64_t& offset,
                    std::vector<T>& out, int64_t out_rows) {
      const int64_t some = static_cast<int64_t>(part.size()) / part_rows;
      const int64_t all = static_cast<int64_t>(out.size()) / out_rows;
      for (int64_t r = 0; r < part_rows; ++r)
        std::copy_n(part.begin() + r * some, some, out.begin() + (row + r) * all + offset);
      offset += some;
    }
  };

  WeightFormat format_;
  Range cols_;
  std::vector<Tile> tiles_;
};

PieceSource::PieceSource(const PieceFiles& files, std::optional<int> nearest) : files_(files) {
  for (const auto& file : files.files()) order_.push_back(file.get());
  std::stable_partition(order_.begin(), order_.end(), [&](const PieceFiles::Opened* file) {
    return nearest && file->header.rank == *nearest;
  });
  for (const WholeTensor& tensor : files.header().tensors) {
    const GgmlTypeInfo& info = info_of(tensor.type);
    entries_.push_back({tensor.name, weight_format(tensor.type), tensor.rows, tensor.cols,
                        tensor.rows * (tensor.cols / info.block_elements) * info.block_bytes,
                        tensor.name});
  }
  by_name_ = sorted_by_name(entries_);
}

const TensorEntry* PieceSource::find(std::string_view name) const {
  return find_by_name(entries_, by_name_, name);
}

size_t PieceSource::index_of(const TensorEntry& entry) const {
  const TensorEntry* whole = find(entry.file_name);
  CN_ASSERT(whole != nullptr && entry.rows == whole->rows && entry.cols == whole->cols &&
                !entry.transposed && entry.map.first == 0 && entry.map.block == 0,
            "PieceSource: ", entry.name, " is no whole tensor");
  return static_cast<size_t>(whole - entries_.data());
}

const PieceFiles::Opened& PieceSource::best_file(size_t index, int64_t row, int64_t col) const {
  const PieceFiles::Opened* best = nullptr;
  for (const PieceFiles::Opened* file : order_) {
    const TensorPiece& piece = file->header.pieces[index];
    if (!piece.rows.contains(row) || !piece.cols.contains(col)) continue;
    const auto reach = [&](const PieceFiles::Opened* f) {
      return std::pair(f->header.pieces[index].cols.end, f->header.pieces[index].rows.end);
    };
    if (best == nullptr || reach(file) > reach(best)) best = file;
  }
  CN_CHECK(best != nullptr, files_.files().front()->file.path(), ": tensor ",
           quote(entries_[index].name), ": row ", row, ", column ", col,
           " is in none of the rank files that are here",
           files_.missing().empty() ? "" : "; missing: ", files_.missing());
  return *best;
}

PieceSource::Tiles PieceSource::cover(const TensorEntry& entry, const MatrixSlice& slice) const {
  const size_t index = index_of(entry);
  Tiles tiles(entry.format, slice.cols);
  if (slice.rows.empty() || slice.cols.empty()) return tiles;
  const auto add = [&](const PieceFiles::Opened& file, Range rows, Range cols) {
    const TensorPiece& piece = file.header.pieces[index];
    CN_CHECK(slice.interleaved_head == 0 || piece.rows.begin % slice.interleaved_head == 0,
             file.file.path(), ": tensor ", quote(entry.name), ": expected whole heads of ",
             slice.interleaved_head, " rows, got a piece that begins at row ", piece.rows.begin);
    const MatrixSlice part{{rows.begin - piece.rows.begin, rows.end - piece.rows.begin},
                           {cols.begin - piece.cols.begin, cols.end - piece.cols.begin},
                           slice.interleaved_head};
    tiles.add({{rows.begin - slice.rows.begin, rows.end - slice.rows.begin},
               {cols.begin - slice.cols.begin, cols.end - slice.cols.begin},
               file.source.rows(*file.source.find(entry.name), part)});
  };
  for (const PieceFiles::Opened* file : order_) {
    if (!file->header.pieces[index].covers({slice.rows, slice.cols})) continue;
    add(*file, slice.rows, slice.cols);
    return tiles;
  }
  for (int64_t row = slice.rows.begin; row < slice.rows.end;) {
    std::vector<std::pair<const PieceFiles::Opened*, Range>> band;
    int64_t row_end = slice.rows.end;
    for (int64_t col = slice.cols.begin; col < slice.cols.end;) {
      const PieceFiles::Opened& file = best_file(index, row, col);
      const TensorPiece& piece = file.header.pieces[index];
      const Range cols{col, std::min(slice.cols.end, piece.cols.end)};
      band.emplace_back(&file, cols);
      row_end = std::min(row_end, piece.rows.end);
      col = cols.end;
    }
    for (const auto& [file, cols] : band) add(*file, {row, row_end}, cols);
    row = row_end;
  }
  return tiles;
}

RowSource PieceSource::rows(const TensorEntry& entry, const MatrixSlice& slice) const {
  const auto tiles = std::make_shared<const Tiles>(cover(entry, slice));
  RowSource source;
  if (is_grouped(entry.format)) {
    source.grouped = [tiles](Range rows, GroupedRows& out) { tiles->grouped(rows, out); };
  } else {
    const int64_t element_bytes = entry.format == WeightFormat::f32 ? 4 : 2;
    source.dense = [tiles, element_bytes](Range rows, std::byte* out) {
      tiles->dense(rows, element_bytes, out);
    };
  }
  return source;
}

std::vector<float> PieceSource::values(const TensorEntry& entry) const {
  const size_t index = index_of(entry);
  for (const PieceFiles::Opened* file : order_) {
    if (file->header.pieces[index].covers({{0, entry.rows}, {0, entry.cols}}))
      return file->source.values(*file->source.find(entry.name));
  }
  throw Error(concat(files_.files().front()->file.path(), ": tensor ", quote(entry.name),
                     ": expected one file that holds all of it, got pieces"));
}

}  // namespace colonnade
