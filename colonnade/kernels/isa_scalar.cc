#define CN_ISA scalar
#define CN_VEC "colonnade/kernels/vec_scalar.inl.h"
#define CN_TILES "colonnade/kernels/tiles_none.inl.h"
#define CN_QUICK_LEAVES false

#include "colonnade/kernels/table.inl.h"

namespace colonnade::kernels::scalar {

const KernelTable* table() noexcept;
const KernelTable* table() noexcept {
  static constexpr KernelTable kTable = make_table("scalar");
  return &kTable;
}

}  // namespace colonnade::kernels::scalar
