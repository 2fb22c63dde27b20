#include "colonnade/io/model_text.h"

#include <span>
#include <string_view>

#include "colonnade/base/error.h"
#include "colonnade/io/file_kind.h"

namespace colonnade {

std::string read_model_text(const File& file) {
  CN_CHECK(file.size() <= kMostTextBytes, file.path(), ": expected a text of at most ",
           kMostTextBytes, " bytes, got ", file.size());
  std::string text(static_cast<size_t>(file.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  const std::string kind = foreign_file_kind(std::string_view(text).substr(0, 64));
  CN_CHECK(kind.empty(), file.path(), ": expected a text of the model", kind);
  return text;
}

}  // namespace colonnade
