#define CN_ISA amx
#define CN_VEC "colonnade/kernels/vec_avx512.inl.h"
#define CN_TILES "colonnade/kernels/tiles_amx.inl.h"
#define CN_QUICK_LEAVES true
#define CN_VNNI

#include "colonnade/kernels/table.inl.h"

namespace colonnade::kernels::amx {

const KernelTable* table() noexcept;
const KernelTable* table() noexcept {
  static constexpr KernelTable kTable = make_table("amx");
  return &kTable;
}

}  // namespace colonnade::kernels::amx
