#include "colonnade/device/isa.h"

#include "colonnade/base/error.h"

namespace colonnade {

using kernels::Isa;

bool cpu_has(const CpuFeatures& cpu, Isa isa) {
  const bool avx2 = cpu.avx2 && cpu.fma && cpu.f16c;
  const bool avx512 = avx2 && cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl;
  switch (isa) {
    case Isa::scalar:
      return true;
    case Isa::avx2:
      return avx2;
    case Isa::avxvnni:
      return avx2 && cpu.avxvnni;
    case Isa::avx512:
      return avx512;
    case Isa::avx512vnni:
      return avx512 && cpu.avx512vnni;
    case Isa::amx:
      return avx512 && cpu.avx512vnni && cpu.amx_tile && cpu.amx_int8;
    case Isa::neon:
      return cpu.asimd;
    case Isa::neondot:
      return cpu.asimd && cpu.asimddp;
    case Isa::count:
      break;
  }
  return false;
}

std::vector<Isa> usable_isas() {
  const CpuFeatures cpu = detect_cpu_features();
  std::vector<Isa> usable;
  for (int i = 0; i < static_cast<int>(Isa::count); ++i) {
    const Isa isa = static_cast<Isa>(i);
    if (cpu_has(cpu, isa) && kernels::table_for(isa) != nullptr) usable.push_back(isa);
  }
  CN_ASSERT(!usable.empty(), "this build has no kernels");
  return usable;
}

const kernels::KernelTable& choose_table(std::string_view name) {
  const std::vector<Isa> usable = usable_isas();
  if (name.empty()) return *kernels::table_for(usable.back());
  std::string known;
  for (const Isa isa : usable) {
    if (name == name_of(isa)) return *kernels::table_for(isa);
    known += known.empty() ? "" : ", ";
    known += name_of(isa);
  }
  throw Error(concat("instruction set: expected one that this machine and this build have (", known,
                     "), got \"", name, "\""));
}

}  // namespace colonnade
