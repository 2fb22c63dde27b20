#include "tests/support/bits.h"

#include <cstddef>
#include <cstring>

namespace colonnade::test {
namespace {

void print(std::ostream& out, float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  out << value << " (0x" << std::hex << bits << std::dec << ")";
}
void print(std::ostream& out, uint16_t value) { out << "0x" << std::hex << value << std::dec; }
void print(std::ostream& out, std::byte value) {
  out << "0x" << std::hex << std::to_integer<int>(value) << std::dec;
}

template <typename T>
testing::AssertionResult compare(std::span<const T> actual, std::span<const T> expected) {
  if (actual.size() != expected.size()) {
    return testing::AssertionFailure()
           << actual.size() << " elements, expected " << expected.size();
  }
  size_t differences = 0;
  size_t first = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) != 0 && differences++ == 0) first = i;
  }
  if (differences == 0) return testing::AssertionSuccess();
  std::ostringstream message;
  message << differences << " of " << actual.size() << " differ, the first at " << first << ": ";
  print(message, actual[first]);
  message << ", expected ";
  print(message, expected[first]);
  return testing::AssertionFailure() << message.str();
}

}  // namespace

testing::AssertionResult same_bits(std::span<const float> actual, std::span<const float> expected) {
  return compare(actual, expected);
}

testing::AssertionResult same_bits(std::span<const uint16_t> actual,
                                   std::span<const uint16_t> expected) {
  return compare(actual, expected);
}

testing::AssertionResult same_bits(std::span<const std::byte> actual,
                                   std::span<const std::byte> expected) {
  return compare(actual, expected);
}

}  // namespace colonnade::test
