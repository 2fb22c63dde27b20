#define CN_ISA avx2
#define CN_VEC "colonnade/kernels/vec_avx2.inl.h"
#define CN_TILES "colonnade/kernels/tiles_none.inl.h"
#define CN_QUICK_LEAVES true

#include "colonnade/kernels/table.inl.h"

namespace colonnade::kernels::avx2 {

const KernelTable* table() noexcept;
const KernelTable* table() noexcept {
  static constexpr KernelTable kTable = make_table("avx2");
  return &kTable;
}

}  // namespace colonnade::kernels::avx2
