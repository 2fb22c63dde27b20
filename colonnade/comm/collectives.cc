#include "colonnade/comm/collectives.h"

#include <algorithm>
#include <cstring>

namespace colonnade {
namespace {

template <typename T>
void sum(Group& group, std::span<T> values, const char* operation) {
  if (group.size() == 1) return;  // nothing to add: no copy to the outbox and back
  const auto most = static_cast<size_t>(group.largest_part()) / sizeof(T);
  for (size_t begin = 0; begin < values.size(); begin += most) {
    const std::span<T> here = values.subspan(begin, std::min(most, values.size() - begin));
    std::memcpy(group.outbox(), here.data(), here.size_bytes());
    group.publish(static_cast<int64_t>(here.size_bytes()));
    const Parts parts = group.collect(operation);
    for (int r = 0; r < group.size(); ++r) {
      const T* part = reinterpret_cast<const T*>(parts[static_cast<size_t>(r)].data());
      for (size_t i = 0; i < here.size(); ++i) here[i] = r == 0 ? part[i] : here[i] + part[i];
    }
  }
}

/// In front of the bytes of a rank's part: those that follow in this part and behind it.
using Remaining = int64_t;

/// The next part of `bytes` behind its header; returns how many bytes of them.
int64_t write_part(Group& group, std::span<const std::byte> bytes) {
  const auto remaining = static_cast<Remaining>(bytes.size());
  const int64_t here =
      std::min(remaining, group.largest_part() - static_cast<int64_t>(sizeof(Remaining)));
  std::memcpy(group.outbox(), &remaining, sizeof remaining);
  if (here > 0)
    std::memcpy(group.outbox() + sizeof remaining, bytes.data(), static_cast<size_t>(here));
  group.publish(here + static_cast<int64_t>(sizeof remaining));
  return here;
}

/// Appends a part to `all`; true if more will follow.
bool read_part(std::span<const std::byte> part, std::vector<std::byte>& all) {
  Remaining remaining = 0;
  CN_CHECK(part.size() >= sizeof remaining, "group: a part of ", part.size(),
           " bytes: expected a header");
  std::memcpy(&remaining, part.data(), sizeof remaining);
  const std::span<const std::byte> payload = part.subspan(sizeof remaining);
  all.insert(all.end(), payload.begin(), payload.end());
  return static_cast<size_t>(remaining) > payload.size();
}

}  // namespace

void all_reduce(Group& group, std::span<int64_t> values, const char* operation) {
  // Signed overflow is undefined; the bits are those of unsigned sums.
  sum(group, std::span(reinterpret_cast<uint64_t*>(values.data()), values.size()), operation);
}

void all_reduce(Group& group, std::span<uint32_t> values, const char* operation) {
  sum(group, values, operation);
}

std::vector<std::vector<std::byte>> all_gather(Group& group, std::span<const std::byte> mine,
                                               const char* operation) {
  std::vector<std::vector<std::byte>> all(static_cast<size_t>(group.size()));
  for (bool more = true; more;) {
    mine = mine.subspan(static_cast<size_t>(write_part(group, mine)));
    more = false;
    const Parts parts = group.collect(operation);
    for (size_t r = 0; r < parts.size(); ++r) more |= read_part(parts[r], all[r]);
  }
  return all;
}

void broadcast(Group& group, std::vector<std::byte>& bytes, int root, const char* operation) {
  const bool speaks = group.rank() == root;
  std::vector<std::byte> heard;
  std::span<const std::byte> rest = speaks ? bytes : std::span<const std::byte>();
  for (bool more = true; more;) {
    if (speaks) {
      rest = rest.subspan(static_cast<size_t>(write_part(group, rest)));
    } else {
      group.publish(0);
    }
    more = read_part(group.collect(operation)[static_cast<size_t>(root)], heard);
  }
  if (!speaks) bytes = std::move(heard);
}

void barrier(Group& group, const char* operation) {
  group.publish(0);
  group.collect(operation);
}

}  // namespace colonnade
