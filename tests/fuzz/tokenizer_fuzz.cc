// Any bytes as text, in spans of the template's and of the caller's: what is UTF-8 comes back from
// its ids, the caller's text never becomes a control token, and any ids decode to UTF-8.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include "colonnade/base/error.h"
#include "colonnade/text/byte_alphabet.h"
#include "colonnade/text/tokenizer.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

constexpr const char* kPreTokenizers[] = {"gpt-2", "smollm", "llama-bpe", "qwen2"};
constexpr int32_t kControl = 256;  // the ids of "<|" and "<|x|>"; the bytes have those before

void expect(bool good) {
  if (!good) std::abort();
}

Vocabulary vocabulary(const char* pre) {
  Vocabulary v;
  v.model = "gpt2";
  v.pre = pre;
  for (char32_t c = 0; c < 0x200; ++c) {
    std::string spelling, bytes;
    append_utf8(&spelling, c);
    if (append_bytes_of_spelling(spelling, &bytes)) v.tokens.push_back(spelling);
  }
  v.token_types.assign(v.tokens.size(), 1);
  for (const char* control : {"<|", "<|x|>"}) {
    v.tokens.push_back(control);
    v.token_types.push_back(3);
  }
  v.tokens.push_back("<|x");
  v.token_types.push_back(4);
  for (const auto& [left, right] :
       {std::pair("a", "a"), {"aa", "a"}, {"a", "b"}, {"ab", "aa"}, {"\u00C3", "\u00A9"}}) {
    v.merges.push_back(std::string(left) + ' ' + right);
    v.tokens.push_back(std::string(left) + right);
    v.token_types.push_back(1);
  }
  v.bos = kControl;
  return v;
}

const Tokenizer& tokenizer(size_t i) {
  static const std::array<std::unique_ptr<Tokenizer>, std::size(kPreTokenizers)> all = [] {
    std::array<std::unique_ptr<Tokenizer>, std::size(kPreTokenizers)> made;
    for (size_t k = 0; k < made.size(); ++k)
      made[k] = std::make_unique<Tokenizer>(vocabulary(kPreTokenizers[k]));
    return made;
  }();
  return *all[i];
}

void check_decoding(const Tokenizer& t, const std::vector<int32_t>& ids) {
  StreamDecoder decoder = t.stream_decoder();
  for (const int32_t id : ids) expect(first_invalid_utf8(decoder.push(id)) < 0);
}

void check_encoding(size_t which, const std::vector<TextSpan>& spans) {
  const Tokenizer& t = tokenizer(which);
  std::string text;
  bool any_trusted = false;
  for (const TextSpan& span : spans) {
    text += span.text;
    any_trusted |= span.trusted;
  }
  std::vector<int32_t> ids;
  try {
    ids = t.encode(spans, AddSpecial::no);
  } catch (const Error&) {
    expect(first_invalid_utf8(text) >= 0);
    return;
  }
  expect(first_invalid_utf8(text) < 0);
  const bool normalizes = which == 3;
  if (!normalizes) expect(t.decode(ids, ControlText::keep) == text);
  for (const int32_t id : ids) expect(any_trusted || !t.is_control(id));
}

}  // namespace
}  // namespace colonnade::text

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace colonnade::text;
  FuzzedDataProvider input(data, size);
  const size_t which = input.ConsumeIntegralInRange<size_t>(0, std::size(kPreTokenizers) - 1);
  std::vector<int32_t> ids;
  for (int left = input.ConsumeIntegralInRange(0, 20); left > 0; --left) {
    ids.push_back(input.ConsumeIntegralInRange<int32_t>(
        0, static_cast<int32_t>(tokenizer(which).vocab_size()) - 1));
  }
  check_decoding(tokenizer(which), ids);
  std::vector<TextSpan> spans;
  while (input.remaining_bytes() > 0) {
    const bool trusted = input.ConsumeBool();
    spans.push_back({input.ConsumeRandomLengthString(), trusted});
  }
  check_encoding(which, spans);
  return 0;
}
