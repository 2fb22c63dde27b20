// Group: N ranks that can talk. A group of one is the identity, so nobody asks for the size.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "colonnade/base/error.h"

namespace colonnade {

/// A failure of one rank or of all that every rank of the group has been told of at the same point:
/// what was being computed is lost, the group lives on.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// What a rank tells the others instead of its part of an exchange.
struct Failure {
  std::string words;
  int64_t row = 0;        // ModelError::row
  bool of_model = false;  // not this rank's doing: reported without its number

  static Failure of(const std::exception& error);
};

/// Of a part's first byte.
constexpr size_t kPartAlignment = 128;

/// What the ranks contributed to an exchange, by rank.
using Parts = std::span<const std::span<const std::byte>>;

struct GroupStats {
  int64_t exchanges = 0;
  int64_t bytes = 0;  // that this rank contributed
  double waited_s = 0;
};

/// Everything that ranks tell each other goes through exchanges: each rank writes its part into
/// outbox(), publishes it, and collects the parts of all. Every rank takes part in every exchange,
/// in the same order; at most one may be published and not yet collected, so that the next part can
/// be computed meanwhile. Collectives are made of exchanges (comm/collectives.h). One thread at a
/// time per rank.
class Group {
 public:
  virtual ~Group() = default;
  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Bytes that a rank may contribute to one exchange.
  virtual int64_t largest_part() const = 0;
  /// Where this rank writes its part of the next exchange, which the others will read without a
  /// copy: [largest_part()], aligned to kPartAlignment.
  virtual std::byte* outbox() = 0;
  /// The first `bytes` of outbox() are this rank's part. Nobody reads a part that was collected
  /// before any more: whatever computes with it must have ended.
  virtual void publish(int64_t bytes) = 0;
  /// Waits for all and returns their parts [N], valid until this rank's next publish().
  /// `operation` is for messages. Throws AgreedError if a rank published a failure; CommError if
  /// one has died, has left, or does not come within the timeout; the group is dead then.
  virtual Parts collect(const char* operation) = 0;
  /// Tells all ranks of a failure in place of the next exchange. Never returns.
  /// Throws AgreedError, as all ranks do, or CommError.
  [[noreturn]] virtual void fail_together(const Failure& failure) = 0;

  /// A message to rank `peer`, which it receives with the same `tag`; messages of one tag keep
  /// their order. Returns when the last bytes are on their way: the peer need not have come to its
  /// recv(), unless the message is larger than what the transport holds. Throws Error for a rank
  /// that does not exist or is this one, CommError as collect() does.
  virtual void send(std::span<const std::byte> bytes, int peer, int tag) = 0;
  /// Waits for the next message of `peer` with `tag`; others are kept for their turn.
  virtual std::vector<std::byte> recv(int peer, int tag) = 0;

  /// The ranks that choose the same `color` become a group, ordered by `key`, then by rank; no
  /// group for a negative color. Every rank takes part, as in an exchange. A rank that is lost is
  /// lost for all groups that come from one another. Throws Error, on every rank, if there is no
  /// room left.
  virtual std::unique_ptr<Group> split(int color, int key) = 0;

  /// Seconds that collect() waits for a rank which gives no sign of life; 0: for ever, or until it
  /// dies.
  virtual void set_timeout(double seconds) = 0;
  /// `f` is called now and then, from this thread, while this rank waits for others. What it throws
  /// the wait throws: the rank has to abandon the group then. An empty one ends that.
  virtual void set_on_wait(std::function<void()> f) = 0;
  /// A sign of life outside of exchanges, for long work such as loading; `progress` of it, in
  /// whatever unit the ranks agree on, and what a rank said last.
  virtual void beat(int64_t progress) = 0;
  virtual int64_t progress_of(int rank) const = 0;
  /// This rank's last words before it leaves for good: the others will quote them. The group is
  /// dead.
  virtual void abandon(const std::string& words) noexcept = 0;
  /// Throws CommError if a rank has died or left, or gave no sign of life for the timeout while
  /// this one called it now and then.
  virtual void check() = 0;

  virtual GroupStats stats() const = 0;
};

/// The group of one.
class SoloGroup final : public Group {
 public:
  explicit SoloGroup(int64_t largest_part = int64_t{1} << 20);

  int rank() const override { return 0; }
  int size() const override { return 1; }
  int64_t largest_part() const override { return largest_part_; }
  std::byte* outbox() override;
  void publish(int64_t bytes) override { part_ = {memory_.get(), static_cast<size_t>(bytes)}; }
  Parts collect(const char*) override { return {&part_, 1}; }
  [[noreturn]] void fail_together(const Failure& failure) override;
  void send(std::span<const std::byte> bytes, int peer, int tag) override;
  std::vector<std::byte> recv(int peer, int tag) override;
  std::unique_ptr<Group> split(int color, int key) override;
  void set_timeout(double) override {}
  void set_on_wait(std::function<void()>) override {}
  void beat(int64_t progress) override { progress_ = progress; }
  int64_t progress_of(int) const override { return progress_; }
  void abandon(const std::string&) noexcept override {}
  void check() override {}
  GroupStats stats() const override { return {}; }

 private:
  struct Aligned {
    void operator()(std::byte* memory) const {
      ::operator delete[](memory, std::align_val_t{kPartAlignment});
    }
  };

  int64_t largest_part_;
  int64_t progress_ = 0;
  std::unique_ptr<std::byte[], Aligned> memory_;
  std::span<const std::byte> part_;
};

}  // namespace colonnade
