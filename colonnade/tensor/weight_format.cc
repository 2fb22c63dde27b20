#include "colonnade/tensor/weight_format.h"

#include <string_view>

namespace colonnade {
namespace {

constexpr const char* kNames[] = {"f32",  "bf16",   "f16",   "q4_0",  "q4_1", "q5_0", "q5_1",
                                  "q8_0", "iq4_nl", "mxfp4", "q2_k",  "q3_k", "q4_k", "q5_k",
                                  "q6_k", "iq4_xs", "q8_k",  "nvfp4", "mxfp8"};
constexpr size_t kAffineCount = kAffineBits.size() * kAffineGroups.size() * kAffineScales.size();

struct Name {
  std::array<char, 20> text{};
  size_t length = 0;

  constexpr void add(std::string_view part) {
    for (const char c : part) text[length++] = c;
  }
};

constexpr std::array<Name, kAffineCount> affine_names() {
  constexpr std::string_view kGroups[] = {"32", "64", "128"}, kScales[] = {"f16", "bf16", "f32"};
  std::array<Name, kAffineCount> names;
  for (size_t i = 0; i < kAffineCount; ++i) {
    const char bits[] = {static_cast<char>('0' + kAffineBits[i / 9])};
    names[i].add("affine");
    names[i].add({bits, 1});
    names[i].add("_g");
    names[i].add(kGroups[i / 3 % 3]);
    names[i].add("_");
    names[i].add(kScales[i % 3]);
  }
  return names;
}
constexpr std::array<Name, kAffineCount> kAffineNames = affine_names();

}  // namespace

const char* name_of(WeightFormat format) {
  if (!is_affine(format)) return kNames[static_cast<size_t>(format)];
  const auto index = static_cast<size_t>(format) - static_cast<size_t>(WeightFormat::affine);
  return kAffineNames[index].text.data();
}

}  // namespace colonnade
