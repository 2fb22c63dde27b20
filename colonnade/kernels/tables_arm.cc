// The tables of an aarch64 build.
#include "colonnade/kernels/table.h"

namespace colonnade::kernels {

namespace scalar {
const KernelTable* table() noexcept;
}
namespace neon {
const KernelTable* table() noexcept;
}
namespace neondot {
const KernelTable* table() noexcept;
}

const KernelTable* table_for(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return scalar::table();
    case Isa::neon:
      return neon::table();
    case Isa::neondot:
      return neondot::table();
    default:
      return nullptr;
  }
}

}  // namespace colonnade::kernels
