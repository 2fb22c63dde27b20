#include "colonnade/text/detokenizer.h"

#include <string_view>

#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string StreamDecoder::push(int32_t id) {
  std::string_view bytes = pieces_.bytes(id);
  if (control_text_ == ControlText::skip && pieces_.is_control(id)) return {};
  if (at_start_ && !bytes.empty()) {
    at_start_ = false;
    if (bytes.front() == ' ') bytes.remove_prefix(1);
  }
  held_ += bytes;

  std::string out;
  std::string_view rest = held_;
  while (!rest.empty()) {
    const Utf8Step step = utf8_step(rest);
    if (step.kind == Utf8Step::Kind::incomplete) break;
    const size_t length = static_cast<size_t>(step.length);
    out += step.kind == Utf8Step::Kind::character ? rest.substr(0, length) : kReplacement;
    rest.remove_prefix(length);
  }
  held_ = std::string(rest);
  return out;
}

void StreamDecoder::finish() {
  held_.clear();
  at_start_ = first_space_ == FirstSpace::strip;
}

}  // namespace colonnade::text
