// What a thread does between two looks at a flag: tells the core that it is only waiting.
#pragma once

namespace colonnade {

inline void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // yield does nothing on cores that run one thread each
#endif
}

}  // namespace colonnade
