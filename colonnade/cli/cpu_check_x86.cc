// Ends the program with a sentence where it would end with an illegal instruction: everything else
// is compiled with -mfma, which lets the compiler use AVX everywhere, also before main(). This file
// is compiled without, and calls nothing that is not.
#include <unistd.h>

namespace {

constexpr char kMessage[] =
    "colonnade: error: this processor has no AVX and FMA instructions, which this build needs "
    "(x86-64 since 2013 has them)\n";

/// 101 is the first priority that programs may use: before every other static constructor.
[[gnu::constructor(101)]] void check_cpu() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("fma")) return;
  [[maybe_unused]] const ssize_t ignored = ::write(2, kMessage, sizeof kMessage - 1);
  ::_exit(1);
}

}  // namespace
