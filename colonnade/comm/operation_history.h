// OperationHistory: whether ranks have been in the same operations, in the same order.
#pragma once

#include <cstdint>
#include <cstring>

#include "colonnade/base/error.h"

namespace colonnade {

/// How a group makes sure that its ranks are in the same operation.
enum class Checking : uint8_t {
  history,    // a digest of their operations is compared every kHistoryPeriod exchanges
  operations  // before each exchange returns, the ranks compare its operation: two meetings, not
              // one
};

constexpr Checking kDefaultChecking = kDebugBuild ? Checking::operations : Checking::history;

constexpr int64_t kHistoryPeriod = 256;

/// A digest of the operations so far. Eight bytes of the name at a time: it is part of every
/// exchange.
class OperationHistory {
 public:
  void add(const char* operation) {
    size_t length = std::strlen(operation);
    for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), operation += sizeof(uint64_t)) {
      uint64_t word;
      std::memcpy(&word, operation, sizeof word);
      mix(word);
    }
    uint64_t rest = length + 1;  // and where the name ends
    for (; length > 0; --length) rest = rest << 8 | static_cast<unsigned char>(*operation++);
    mix(rest);
  }
  uint64_t digest() const { return digest_; }

 private:
  /// An odd multiplier keeps what is there; the shift brings high bits down.
  void mix(uint64_t word) {
    digest_ = (digest_ ^ word) * 0x9e3779b97f4a7c15u;
    digest_ ^= digest_ >> 32;
  }

  uint64_t digest_ = 0;
};

}  // namespace colonnade
