#include "colonnade/kernels/table.h"

namespace colonnade::kernels {

namespace scalar {
const KernelTable* table() noexcept;
}
namespace avx2 {
const KernelTable* table() noexcept;
}
namespace avx512 {
const KernelTable* table() noexcept;
}
namespace avxvnni {
const KernelTable* table() noexcept;
}
namespace avx512vnni {
const KernelTable* table() noexcept;
}
namespace amx {
const KernelTable* table() noexcept;
}

const KernelTable* table_for(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::table();
    case Isa::avx2:
      return avx2::table();
    case Isa::avxvnni:
      return avxvnni::table();
    case Isa::avx512:
      return avx512::table();
    case Isa::avx512vnni:
      return avx512vnni::table();
    case Isa::amx:
      return amx::table();
    case Isa::count:
      break;
  }
  return nullptr;
}

const char* name_of(Isa isa) {
  constexpr const char* kNames[] = {"scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amx"};
  return isa < Isa::count ? kNames[static_cast<int>(isa)] : "?";
}

}  // namespace colonnade::kernels
