#define CN_ISA avxvnni
#define CN_VEC "colonnade/kernels/vec_avx2.inl.h"
#define CN_TILES "colonnade/kernels/tiles_none.inl.h"
#define CN_QUICK_LEAVES true
#define CN_VNNI

#include "colonnade/kernels/table.inl.h"

namespace colonnade::kernels::avxvnni {

const KernelTable* table() noexcept;
const KernelTable* table() noexcept {
  static constexpr KernelTable kTable = make_table("avxvnni");
  return &kTable;
}

}  // namespace colonnade::kernels::avxvnni
