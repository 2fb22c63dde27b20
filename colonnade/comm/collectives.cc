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

/// Bytes of a part behind its header, and whether more will follow in another part.
struct Piece {
  std::span<const std::byte> bytes;
  bool more = false;

  explicit Piece(std::span<const std::byte> part) {
    Remaining remaining = 0;
    CN_CHECK(part.size() >= sizeof remaining, "group: a part of ", part.size(),
             " bytes: expected a header");
    std::memcpy(&remaining, part.data(), sizeof remaining);
    bytes = part.subspan(sizeof remaining);
    more = static_cast<size_t>(remaining) > bytes.size();
  }
  void append_to(std::vector<std::byte>& all) const {
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
};

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
    for (size_t r = 0; r < parts.size(); ++r) {
      const Piece piece(parts[r]);
      piece.append_to(all[r]);
      more |= piece.more;
    }
  }
  return all;
}

void gather(Group& group, std::span<const std::byte> mine, int root,
            std::vector<std::vector<std::byte>>& all, const char* operation) {
  all.resize(group.rank() == root ? static_cast<size_t>(group.size()) : 0);
  for (std::vector<std::byte>& one : all) one.clear();
  for (bool more = true; more;) {
    mine = mine.subspan(static_cast<size_t>(write_part(group, mine)));
    more = false;
    const Parts parts = group.collect(operation);
    for (size_t r = 0; r < parts.size(); ++r) {
      const Piece piece(parts[r]);
      if (!all.empty()) piece.append_to(all[r]);
      more |= piece.more;
    }
  }
}

void broadcast(Group& group, std::vector<std::byte>& bytes, int root, const char* operation) {
  const bool speaks = group.rank() == root;
  std::span<const std::byte> rest = bytes;
  if (!speaks) bytes.clear();
  for (bool more = true; more;) {
    if (speaks) {
      rest = rest.subspan(static_cast<size_t>(write_part(group, rest)));
    } else {
      group.publish(0);
    }
    const Piece piece(group.collect(operation)[static_cast<size_t>(root)]);
    if (!speaks) piece.append_to(bytes);
    more = piece.more;
  }
}

void barrier(Group& group, const char* operation) {
  group.publish(0);
  group.collect(operation);
}

}  // namespace colonnade
