#include "colonnade/io/header_reader.h"

#include <algorithm>

namespace colonnade {
namespace {

constexpr int64_t kWindowBytes = 64 << 10;

}  // namespace

HeaderReader::HeaderReader(const File& file)
    : file_(file), window_(static_cast<size_t>(std::min(kWindowBytes, file.size()))) {}

void HeaderReader::read_bytes(const char* field, std::span<std::byte> out) {
  if (out.size() > left()) {
    fail(field, position_,
         concat("expected ", out.size(), " bytes, but the file ends at offset ", file_.size()));
  }
  size_t done = 0;
  while (done < out.size()) {
    if (position_ < window_begin_ || position_ >= window_end_) {
      window_begin_ = position_;
      window_end_ = std::min(file_.size(), position_ + static_cast<int64_t>(window_.size()));
      file_.read_at(position_,
                    std::span(window_).first(static_cast<size_t>(window_end_ - window_begin_)));
    }
    const size_t here = std::min(out.size() - done, static_cast<size_t>(window_end_ - position_));
    std::memcpy(out.data() + done, window_.data() + (position_ - window_begin_), here);
    position_ += static_cast<int64_t>(here);
    done += here;
  }
}

void HeaderReader::seek(int64_t position) {
  CN_ASSERT(position >= 0 && position <= file_.size(), "HeaderReader: seek to ", position);
  position_ = position;
}

void HeaderReader::fail(const char* field, int64_t offset, const std::string& problem) const {
  throw Error(concat(file_.path(), ": ", subject_, subject_.empty() ? "" : ": ", field, ": ",
                     problem, " (offset ", offset, ")"));
}

}  // namespace colonnade
