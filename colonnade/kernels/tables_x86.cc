// The tables of an x86-64 build.
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
    default:
      return nullptr;
  }
}

}  // namespace colonnade::kernels
