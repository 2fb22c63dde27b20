// Uses the installed headers and links the installed library: exit code 0 when an error of ours can
// be thrown and caught.
#include <cstdio>

#include "colonnade/base/error.h"

int main() {
  try {
    CN_CHECK(false, "consumer: expected ", 1, ", got ", 2);
  } catch (const colonnade::Error& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}
