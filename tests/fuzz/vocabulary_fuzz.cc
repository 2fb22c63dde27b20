// Any strings as a vocabulary: it is refused with an Error, or it works.
#include <cstdint>
#include <string>

#include <fuzzer/FuzzedDataProvider.h>

#include "colonnade/base/error.h"
#include "colonnade/text/tokenizer.h"

namespace colonnade::text {
namespace {

Vocabulary any_vocabulary(FuzzedDataProvider& input) {
  Vocabulary v;
  v.model = input.PickValueInArray({"gpt2", "llama"});
  v.pre = input.PickValueInArray({"gpt-2", "smollm", "llama-bpe", "qwen2", "gpt-4o", "bloom"});
  for (int left = input.ConsumeIntegralInRange(0, 30); left > 0; --left) {
    v.tokens.push_back(input.ConsumeRandomLengthString(8));
    v.token_types.push_back(input.ConsumeIntegralInRange(0, 7));
    if (v.model == "llama") v.scores.push_back(input.ConsumeIntegralInRange(-9, 9));
  }
  for (int left = input.ConsumeIntegralInRange(0, 10); left > 0; --left) {
    v.merges.push_back(input.ConsumeRandomLengthString(12));
  }
  for (int32_t* id : {&v.bos, &v.eos, &v.eot, &v.pad, &v.unk})
    *id = input.ConsumeIntegralInRange(-2, 31);
  if (input.ConsumeBool()) v.add_bos = input.ConsumeBool();
  v.add_eos = input.ConsumeBool();
  using Kind = NormalizerStep::Kind;
  constexpr Kind kPrefixes[] = {Kind::prepend, Kind::prepend_unless, Kind::prepend_first};
  v.space_prefix.reset();
  if (input.ConsumeBool()) v.space_prefix = input.PickValueInArray(kPrefixes);
  return v;
}

}  // namespace
}  // namespace colonnade::text

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace colonnade::text;
  FuzzedDataProvider input(data, size);
  try {
    const Tokenizer tokenizer(any_vocabulary(input));
    const std::string text = input.ConsumeRemainingBytesAsString();
    tokenizer.decode(tokenizer.encode(text, ParseSpecial::yes, AddSpecial::yes));
    for (int32_t id = 0; id < tokenizer.vocab_size(); ++id)
      tokenizer.token_id(tokenizer.token_text(id));
  } catch (const colonnade::Error&) {
  }
  return 0;
}
