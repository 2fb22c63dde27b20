#include "colonnade/io/rank_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "colonnade/base/error.h"

namespace colonnade {

RankWriter::RankWriter(const std::string& stem, const std::vector<GgufEntry>& metadata,
                       std::vector<RankFileHeader> headers)
    : headers_(std::move(headers)) {
  for (const RankFileHeader& header : headers_) {
    std::vector<GgufEntry> entries = metadata;
    for (GgufEntry& entry : rank_metadata(header)) entries.push_back(std::move(entry));
    paths_.push_back(rank_file_name(stem, header.rank, header.ranks));
    RankFile file;
    file.writer = std::make_unique<GgufWriter>(paths_.back(), entries, rank_tensors(header));
    size_t place = 0;
    for (const TensorPiece& piece : header.pieces) {
      file.places.push_back(place);
      if (!piece.empty()) ++place;
    }
    files_.push_back(std::move(file));
  }
}

void RankWriter::write(size_t index, Range rows, std::span<const std::byte> bytes) {
  for (size_t rank = 0; rank < files_.size(); ++rank) {
    const TensorPiece& piece = headers_[rank].pieces[index];
    const Range common{std::max(rows.begin, piece.rows.begin), std::min(rows.end, piece.rows.end)};
    if (piece.empty() || common.begin >= common.end) continue;
    const auto row_bytes = static_cast<int64_t>(bytes.size()) / rows.size();
    write_piece(files_[rank], index, piece, common,
                bytes.subspan(static_cast<size_t>((common.begin - rows.begin) * row_bytes),
                              static_cast<size_t>(common.size() * row_bytes)));
  }
}

void RankWriter::write_piece(const RankFile& file, size_t index, const TensorPiece& piece,
                             Range rows, std::span<const std::byte> bytes) const {
  const WholeTensor& whole = headers_.front().tensors[index];
  const GgmlTypeInfo& info = info_of(whole.type);
  const int64_t row_bytes = whole.cols / info.block_elements * info.block_bytes;
  const int64_t part_begin = piece.cols.begin / info.block_elements * info.block_bytes;
  const int64_t part_bytes = piece.cols.size() / info.block_elements * info.block_bytes;
  const int64_t offset = (rows.begin - piece.rows.begin) * part_bytes;
  CN_ASSERT(static_cast<int64_t>(bytes.size()) == rows.size() * row_bytes,
            "RankWriter: ", bytes.size(), " bytes of ", rows.size(), " rows of ", whole.name);
  if (part_bytes == row_bytes) return file.writer->write(file.places[index], offset, bytes);
  std::vector<std::byte> parts(static_cast<size_t>(rows.size() * part_bytes));
  for (int64_t row = 0; row < rows.size(); ++row)
    std::memcpy(parts.data() + row * part_bytes, bytes.data() + row * row_bytes + part_begin,
                static_cast<size_t>(part_bytes));
  file.writer->write(file.places[index], offset, parts);
}

void RankWriter::commit() {
  for (const RankFile& file : files_) file.writer->commit();
}

}  // namespace colonnade
