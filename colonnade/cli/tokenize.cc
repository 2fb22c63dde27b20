// colonnade tokenize: the tokens of a text.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/open_session.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/cli/text_input.h"
#include "colonnade/text/utf8.h"

namespace colonnade::cli {
namespace {

/// A token's bytes on one line: control bytes and bytes that are no UTF-8 as \xNN.
std::string visible(std::string_view piece) {
  const bool is_text = text::first_invalid_utf8(piece) < 0;
  std::string shown;
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\\') {
      shown += "\\\\";
    } else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_text)) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace

int tokenize(const TokenizeOptions& options) {
  const std::string text = read_text_input(options.text);
  const text::Tokenizer tokenizer = load_tokenizer(options.model);
  const std::vector<int32_t> ids = encode_text(tokenizer, text, options.text);
  if (options.json) {
    nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
    for (const int32_t id : ids) pieces.push_back(tokenizer.token_text(id));
    print_line(to_line({{"ids", ids}, {"pieces", std::move(pieces)}}));
  } else if (options.ids_only) {
    print_line(fmt::format("[{}]", fmt::join(ids, ", ")));
  } else {
    std::string lines;
    for (const int32_t id : ids)
      lines += fmt::format("{:>7}  '{}'\n", id, visible(tokenizer.token_text(id)));
    print(lines);
  }
  return kOk;
}

}  // namespace colonnade::cli
