// Any bytes as a receipt: it is refused by name, or it is one that is written and read again as it
// is.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "colonnade/api/receipt.h"
#include "colonnade/base/error.h"

namespace colonnade {
namespace {

void read(std::string_view text) {
  try {
    const std::string written = write_receipt(read_receipt(text, "receipt.json"));
    if (write_receipt(read_receipt(written, "receipt.json")) != written) std::abort();
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("receipt.json: ")) std::abort();
  }
}

}  // namespace
}  // namespace colonnade

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  colonnade::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
