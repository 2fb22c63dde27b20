// Lists of tensors as model files hold them: found by name, read within their bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/base/file.h"
#include "colonnade/base/quote.h"

namespace colonnade {

/// Indices into `items`, sorted by their names.
template <typename T>
std::vector<uint32_t> sorted_by_name(const std::vector<T>& items) {
  std::vector<uint32_t> by_name(items.size());
  std::iota(by_name.begin(), by_name.end(), 0U);
  std::ranges::sort(by_name, {}, [&](uint32_t i) -> const std::string& { return items[i].name; });
  return by_name;
}

/// The item of that name, or nullptr. `by_name` is sorted_by_name(items).
template <typename T>
const T* find_by_name(const std::vector<T>& items, const std::vector<uint32_t>& by_name,
                      std::string_view name) {
  const auto name_of = [&](uint32_t i) { return std::string_view(items[i].name); };
  const auto found = std::ranges::lower_bound(by_name, name, {}, name_of);
  if (found == by_name.end() || name_of(*found) != name) return nullptr;
  return &items[*found];
}

/// The first of two items with one name, as a place in `by_name`, whose next is the other; its end
/// if there are none.
template <typename T>
std::vector<uint32_t>::const_iterator find_twins(const std::vector<T>& items,
                                                 const std::vector<uint32_t>& by_name) {
  return std::ranges::adjacent_find(
      by_name, {}, [&](uint32_t i) -> const std::string& { return items[i].name; });
}

/// Fills `out` with the bytes of `tensor` from `begin` on. Throws Error, naming `path`, if they do
/// not all belong to it, or as File does.
template <typename T>
void read_tensor(const std::vector<File>& files, const std::string& path, const T& tensor,
                 int64_t begin, std::span<std::byte> out) {
  const auto size = static_cast<int64_t>(out.size());
  CN_CHECK(begin >= 0 && begin <= tensor.size_bytes && size <= tensor.size_bytes - begin, path,
           ": tensor ", quote(tensor.name), ": read: expected bytes within its ", tensor.size_bytes,
           ", got ", size, " from ", begin, " on");
  files[static_cast<size_t>(tensor.shard)].read_at(tensor.offset + begin, out);
}

}  // namespace colonnade
