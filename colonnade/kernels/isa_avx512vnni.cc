#define CN_ISA avx512vnni
#define CN_VEC "colonnade/kernels/vec_avx512.inl.h"
#define CN_TILES "colonnade/kernels/tiles_none.inl.h"
#define CN_QUICK_LEAVES true
#define CN_VNNI

#include "colonnade/kernels/table.inl.h"

namespace colonnade::kernels::avx512vnni {

const KernelTable* table() noexcept;
const KernelTable* table() noexcept {
  static constexpr KernelTable kTable = make_table("avx512vnni");
  return &kTable;
}

}  // namespace colonnade::kernels::avx512vnni
