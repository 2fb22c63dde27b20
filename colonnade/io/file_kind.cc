#include "colonnade/io/file_kind.h"

#include <filesystem>

#include "colonnade/base/error.h"
#include "colonnade/base/text_file.h"

namespace colonnade {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Does `text` begin with `word`, which is lower case, in any case of ASCII letters?
bool begins_with(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != word[i]) return false;
  }
  return true;
}

bool is_web_page(std::string_view start) {
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  const std::string_view text = trim(start);
  return begins_with(text, "<!") || begins_with(text, "<html") || begins_with(text, "<?xml");
}

}  // namespace

std::string foreign_file_kind(std::string_view start) {
  if (start.starts_with("version https://git-lfs")) {
    return "; this is a Git LFS pointer, not the file itself: fetch it with `git lfs pull`";
  }
  if (is_web_page(start)) return "; this is a web page: the download went wrong";
  if (start.starts_with("PK\x03\x04")) return "; this is a zip archive or a PyTorch checkpoint";
  if (start.starts_with("GGUF")) return "; this is a GGUF file";
  for (const char* magic : {"ggml", "tjgg", "lmgg", "fmgg"}) {
    if (start.starts_with(magic)) {
      return "; this is a file from before GGUF: convert the model again";
    }
  }
  return {};
}

std::string dangling_link(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_symlink(path, ignored) || std::filesystem::exists(path, ignored)) {
    return {};
  }
  return concat(": a link is there, but not ",
                std::filesystem::read_symlink(path, ignored).string(),
                ", to which it leads: the download is not complete");
}

}  // namespace colonnade
