// Any text as a tokenizer.json with its companions, a zero byte between two of them: it is refused
// with an Error, or it works: its ids are tokens, its text is UTF-8, and the caller's text holds no
// control tokens.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "colonnade/base/error.h"
#include "colonnade/text/tokenizer.h"
#include "colonnade/text/tokenizer_json.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

void expect(bool good) {
  if (!good) std::abort();
}

TokenizerFiles files_of(std::string_view all) {
  TokenizerFiles files;
  FileText* const order[] = {&files.tokenizer,
                             &files.tokenizer_config,
                             &files.generation_config,
                             &files.config,
                             &files.vocab,
                             &files.merges};
  for (FileText* file : order) {
    const size_t end = std::min(all.find('\0'), all.size());
    *file = {all.substr(0, end), "file"};
    all.remove_prefix(std::min(end + 1, all.size()));
  }
  return files;
}

void use(const Tokenizer& tokenizer) {
  constexpr std::string_view kTexts[] = {"", " a", "ab  abc\n1234 <|x|> \u00E9\u4E2D\u2581"};
  for (const std::string_view text : kTexts) {
    const auto ids = tokenizer.encode(text, ParseSpecial::yes, AddSpecial::yes);
    expect(first_invalid_utf8(tokenizer.decode(ids)) < 0);
    for (const int32_t id : tokenizer.encode(text, ParseSpecial::no, AddSpecial::no))
      expect(!tokenizer.is_control(id) || tokenizer.token_text(id) == "<unk>");
  }
}

}  // namespace
}  // namespace colonnade::text

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace colonnade::text;
  try {
    use(Tokenizer(read_tokenizer_json(files_of({reinterpret_cast<const char*>(data), size}))));
  } catch (const colonnade::Error&) {
  }
  return 0;
}
