#define CN_ISA neondot
#define CN_VEC "colonnade/kernels/vec_neon.inl.h"
#define CN_TILES "colonnade/kernels/tiles_none.inl.h"
#define CN_QUICK_LEAVES true
#define CN_DOTPROD

#include "colonnade/kernels/table.inl.h"

namespace colonnade::kernels::neondot {

const KernelTable* table() noexcept;
const KernelTable* table() noexcept {
  static constexpr KernelTable kTable = make_table("neondot");
  return &kTable;
}

}  // namespace colonnade::kernels::neondot
