#include "colonnade/comm/collectives.h"

#include <algorithm>
#include <cstring>

namespace colonnade {
namespace {

/// With more than two ranks and more than this many bytes each rank reduces a piece of the parts
/// and reads the pieces of the others: each reads 2 (N - 1) / N parts of other ranks instead of N -
/// 1, for one more exchange. Measured: docs/ranks.md.
constexpr int64_t kOneShotBytes = 32 * 1024;

bool takes_two_shots(const Group& group, int64_t bytes) {
  return group.size() > 2 && bytes > kOneShotBytes;
}

/// A reduction's element type and kind.
struct Elements {
  DType dtype;
  Reduction reduction;

  int64_t bytes() const { return size_of(dtype); }
  int64_t most(const Group& group) const { return group.largest_part() / bytes(); }
};

/// Where the bytes of each rank stand.
using Inputs = std::vector<const std::byte*>;

/// Publishes this rank's `bytes` bytes and waits for those of all. Throws Error on every rank if
/// sizes differ.
Inputs exchange_equal(Group& group, const std::byte* mine, int64_t bytes, const char* operation) {
  if (bytes > 0) std::memcpy(group.outbox(), mine, static_cast<size_t>(bytes));
  group.publish(bytes);
  const Parts parts = group.collect(operation);
  Inputs inputs(parts.size());
  for (size_t r = 0; r < parts.size(); ++r) {
    CN_CHECK(parts[r].size() == parts[0].size(), operation, ": expected as many bytes from rank ",
             r, " as from rank 0, ", parts[0].size(), ", got ", parts[r].size());
    inputs[r] = parts[r].data();
  }
  // A large copy does not leave its target in the cache.
  inputs[static_cast<size_t>(group.rank())] = mine;
  return inputs;
}

/// Elements `piece` of all inputs, reduced into `out` [piece].
void reduce_piece(Inputs inputs, Range piece, std::byte* out, Elements elements) {
  for (const std::byte*& input : inputs) input += piece.begin * elements.bytes();
  reduce(out, inputs, piece.size(), elements.dtype, elements.reduction);
}

/// Rank r reduces piece r of the inputs and publishes it; all pieces go to `data`.
void exchange_pieces(Group& group, const Inputs& inputs, std::span<std::byte> data,
                     Elements elements, const char* operation) {
  const int64_t count = static_cast<int64_t>(data.size()) / elements.bytes();
  const auto piece = [&](int rank) { return even_part(count, group.size(), rank); };
  const Range mine = piece(group.rank());
  reduce_piece(inputs, mine, group.outbox(), elements);
  group.publish(mine.size() * elements.bytes());
  const Parts pieces = group.collect(operation);
  for (int r = 0; r < group.size(); ++r) {
    const auto& from = pieces[static_cast<size_t>(r)];
    std::memcpy(data.data() + piece(r).begin * elements.bytes(), from.data(), from.size());
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

/// Every rank tells its bytes; they are appended to `all` [N], or to nothing if it is empty.
void tell_all(Group& group, std::span<const std::byte> mine,
              std::vector<std::vector<std::byte>>& all, const char* operation) {
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

/// A part with something for every rank: how much each still gets, then as much of it as fits.
class ManyParts {
 public:
  explicit ManyParts(const Group& group)
      : ranks_(static_cast<size_t>(group.size())),
        most_((group.largest_part() - header_bytes()) / group.size()) {
    CN_CHECK(most_ > 0, "group: parts of ", group.largest_part(),
             " bytes hold nothing for each of ", ranks_, " ranks");
  }

  /// Takes what it writes from `rest`; returns the part's bytes.
  int64_t write(std::byte* part, std::vector<std::span<const std::byte>>& rest) const {
    std::byte* at = part + header_bytes();
    for (size_t r = 0; r < ranks_; ++r) {
      const auto left = static_cast<Remaining>(rest[r].size());
      std::memcpy(part + r * sizeof left, &left, sizeof left);
      const auto here = static_cast<size_t>(std::min(left, most_));
      if (here > 0) std::memcpy(at, rest[r].data(), here);
      at += here;
      rest[r] = rest[r].subspan(here);
    }
    return at - part;
  }

  /// What is there for `rank`; sets `more` if another part follows for anybody.
  std::span<const std::byte> read(std::span<const std::byte> part, int rank, bool& more) const {
    size_t at = static_cast<size_t>(header_bytes());
    std::span<const std::byte> result;
    for (size_t r = 0; r < ranks_; ++r) {
      Remaining left = 0;
      std::memcpy(&left, part.data() + r * sizeof left, sizeof left);
      const auto here = static_cast<size_t>(std::min(left, most_));
      if (static_cast<int>(r) == rank) result = part.subspan(at, here);
      more |= left > most_;
      at += here;
    }
    return result;
  }

 private:
  int64_t header_bytes() const { return static_cast<int64_t>(ranks_ * sizeof(Remaining)); }

  size_t ranks_;
  int64_t most_;  // bytes for one rank in one part
};

}  // namespace

void all_reduce(Group& group, void* data, int64_t count, DType dtype, Reduction reduction,
                const char* operation) {
  if (group.size() == 1) return;  // nothing to add: no copy to the outbox and back
  const Elements elements{dtype, reduction};
  auto* bytes = static_cast<std::byte*>(data);
  int64_t begin = 0;
  do {
    const int64_t size = std::min(elements.most(group), count - begin);
    const std::span<std::byte> here(bytes + begin * elements.bytes(),
                                    static_cast<size_t>(size * elements.bytes()));
    const Inputs inputs =
        exchange_equal(group, here.data(), static_cast<int64_t>(here.size()), operation);
    if (takes_two_shots(group, static_cast<int64_t>(here.size()))) {
      exchange_pieces(group, inputs, here, elements, operation);
    } else {
      reduce(here.data(), inputs, size, dtype, reduction);
    }
    begin += size;
  } while (begin < count);
}

void all_reduce(Group& group, std::span<int64_t> values, const char* operation) {
  all_reduce(group, values.data(), static_cast<int64_t>(values.size()), DType::i64, Reduction::sum,
             operation);
}

void all_reduce(Group& group, std::span<uint32_t> values, const char* operation) {
  all_reduce(group, values.data(), static_cast<int64_t>(values.size()), DType::u32, Reduction::sum,
             operation);
}

void reduce_scatter(Group& group, const void* data, void* mine, const Partition& pieces,
                    DType dtype, Reduction reduction, const char* operation) {
  CN_CHECK(pieces.ranks() == group.size(), operation, ": expected pieces for ", group.size(),
           " ranks, got them for ", pieces.ranks());
  const Elements elements{dtype, reduction};
  const Range own = pieces.of(group.rank());
  int64_t begin = 0;
  do {
    const int64_t size = std::min(elements.most(group), pieces.total() - begin);
    const Inputs inputs =
        exchange_equal(group, static_cast<const std::byte*>(data) + begin * elements.bytes(),
                       size * elements.bytes(), operation);
    const Range here{std::max(own.begin, begin), std::min(own.end, begin + size)};
    if (here.begin < here.end) {
      reduce_piece(inputs, {here.begin - begin, here.end - begin},
                   static_cast<std::byte*>(mine) + (here.begin - own.begin) * elements.bytes(),
                   elements);
    }
    begin += size;
  } while (begin < pieces.total());
}

std::vector<std::vector<std::byte>> all_gather(Group& group, std::span<const std::byte> mine,
                                               const char* operation) {
  std::vector<std::vector<std::byte>> all(static_cast<size_t>(group.size()));
  tell_all(group, mine, all, operation);
  return all;
}

void gather(Group& group, std::span<const std::byte> mine, int root,
            std::vector<std::vector<std::byte>>& all, const char* operation) {
  all.resize(group.rank() == root ? static_cast<size_t>(group.size()) : 0);
  for (std::vector<std::byte>& one : all) one.clear();
  tell_all(group, mine, all, operation);
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

std::vector<std::vector<std::byte>> all_to_all(Group& group,
                                               std::span<const std::span<const std::byte>> to,
                                               const char* operation) {
  CN_CHECK(static_cast<int>(to.size()) == group.size(), operation,
           ": expected something for each of ", group.size(), " ranks, got ", to.size());
  const ManyParts layout(group);
  std::vector<std::span<const std::byte>> rest(to.begin(), to.end());
  std::vector<std::vector<std::byte>> all(to.size());
  for (bool more = true; more;) {
    group.publish(layout.write(group.outbox(), rest));
    more = false;
    const Parts parts = group.collect(operation);
    for (size_t r = 0; r < parts.size(); ++r) {
      const auto piece = layout.read(parts[r], group.rank(), more);
      all[r].insert(all[r].end(), piece.begin(), piece.end());
    }
  }
  return all;
}

void barrier(Group& group, const char* operation) {
  group.publish(0);
  group.collect(operation);
}

}  // namespace colonnade
