#include "colonnade/kernels/table.h"

#include <cstddef>

namespace colonnade::kernels {

const char* name_of(Isa isa) {
  constexpr const char* kNames[] = {"scalar",     "avx2", "avxvnni", "avx512",
                                    "avx512vnni", "amx",  "neon",    "neondot"};
  static_assert(sizeof kNames / sizeof *kNames == static_cast<size_t>(Isa::count));
  return isa < Isa::count ? kNames[static_cast<int>(isa)] : "?";
}

}  // namespace colonnade::kernels
