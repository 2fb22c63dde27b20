// Device: a stream of commands. An op enqueues; workers run ahead; join() waits and reports.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "colonnade/tensor/memory.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

enum class CommandId : uint8_t;

/// What a command needs of those before it.
enum class Sync : uint8_t {
  meet,       // all rows of everything before
  same_range  // only what the same worker wrote since the last meeting
};

/// Commands run in order. The pointers in a command must stay valid until a later join() or, for a
/// Workspace's blocks, as its class says. One thread at a time calls; several devices may live side
/// by side.
class Device {
 public:
  virtual ~Device() = default;

  /// "cpu avx512vnni, 2 threads"
  virtual std::string description() const = 0;
  /// Number of workers that a command is divided among.
  virtual int workers() const = 0;
  /// Zeroed, 64-byte aligned. Throws Error if there is none left.
  virtual Memory allocate(int64_t bytes) = 0;
  /// Bytes of codes of `tokens` rows for products with `weight`.
  virtual int64_t codes_bytes(const Weight& weight, int64_t tokens) const = 0;
  /// Reads and packs a weight. Throws what the source throws, and Error if the spec makes no sense.
  virtual WeightPtr pack(const WeightSpec& spec, const RowSource& source) = 0;

  /// Enqueues a command of commands.h.
  template <typename Command>
  void launch(const Command& command, Sync sync) {
    static_assert(std::is_trivially_copyable_v<Command>);
    if (sync == Sync::meet) ++epoch_;
    enqueue(Command::kId, &command, sizeof(Command), sync);
  }

  /// Waits until every command is done. Throws Error for the first fault in command order: "layer
  /// blk.3.ffn_down: token 17: activation is not finite". The device is usable afterwards.
  void join() {
    ++epoch_;
    finish();
  }

  /// Counts meetings. A command launched in a later epoch than another begins after it has ended.
  int64_t epoch() const { return epoch_; }

 private:
  virtual void enqueue(CommandId id, const void* command, int64_t bytes, Sync sync) = 0;
  virtual void finish() = 0;

  int64_t epoch_ = 0;
};

}  // namespace colonnade
