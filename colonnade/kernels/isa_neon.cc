#define CN_ISA neon
#define CN_VEC "colonnade/kernels/vec_neon.inl.h"
#define CN_TILES "colonnade/kernels/tiles_none.inl.h"
#define CN_QUICK_LEAVES true

#include "colonnade/kernels/table.inl.h"

namespace colonnade::kernels::neon {

const KernelTable* table() noexcept;
const KernelTable* table() noexcept {
  static constexpr KernelTable kTable = make_table("neon");
  return &kTable;
}

}  // namespace colonnade::kernels::neon
