#include "colonnade/cli/logits_file.h"

#include "colonnade/base/error.h"

namespace colonnade::cli {
namespace {

/// The number of steps is known at the end only: the header has this size, filled up with spaces,
/// which the format allows. 8 bytes of length and the header keep the data aligned to 8.
constexpr size_t kHeaderBytes = 120;

std::string header(int64_t steps, int64_t vocabulary) {
  std::string text = concat(R"({"logits":{"dtype":"F32","shape":[)", steps, ",", vocabulary,
                            R"(],"data_offsets":[0,)", steps * vocabulary * 4, "]}}");
  text.resize(kHeaderBytes, ' ');
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>((kHeaderBytes >> shift) & 0xff);
  return bytes + text;
}

}  // namespace

LogitsFile::LogitsFile(const std::string& path) : file_(path) { file_.append(header(0, 0)); }

void LogitsFile::add(std::span<const float> logits) {
  file_.append(std::as_bytes(logits));
  ++steps_;
}

void LogitsFile::finish(int64_t vocabulary) {
  file_.write_at(0, header(steps_, vocabulary));
  file_.commit();
}

}  // namespace colonnade::cli
