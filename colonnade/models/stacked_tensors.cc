#include "colonnade/models/stacked_tensors.h"

#include <algorithm>
#include <map>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

struct Part {
  FilePlace place;
  const TensorEntry* entry;
};

StackedTensor stack(const std::string& name, std::vector<Part> parts) {
  std::ranges::sort(
      parts, {}, [](const Part& part) { return std::pair(part.place.piece, part.place.expert); });
  StackedTensor tensor{.name = name, .parts = {}};
  tensor.experts = parts.front().place.piece >= Piece::expert;
  for (const Part& part : parts) {
    const TensorEntry& first = *parts.front().entry;
    const bool alike =
        first.rows == 1 && !tensor.experts
            ? part.entry->rows == 1
            : part.entry->cols == first.cols && (!tensor.experts || part.entry->rows == first.rows);
    CN_CHECK(alike, "model: tensor ", quote(part.entry->file_name),
             ": expected a shape that fits that of ", quote(first.file_name), ", beside which it ",
             "stands in ", quote(name));
    tensor.parts.push_back(part.entry);
  }
  return tensor;
}

}  // namespace

std::vector<int64_t> StackedTensor::dims() const {
  const TensorEntry& first = *parts.front();
  if (experts) {
    const auto count = static_cast<int64_t>(parts.size());
    if (is_vector()) return {first.cols, count};
    return {first.cols, first.rows, count};
  }
  int64_t sum = 0;
  for (const TensorEntry* part : parts) sum += is_vector() ? part->cols : part->rows;
  if (is_vector()) return {sum};
  return {first.cols, sum};
}

std::vector<StackedTensor> stack_tensors(std::span<const TensorEntry> entries,
                                         std::span<const NameRule> rules) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<Part>> by_name;
  for (const TensorEntry& entry : entries) {
    FilePlace place = place_in_files(entry.name, rules);
    std::vector<Part>& parts = by_name[place.file_name];
    if (parts.empty()) order.push_back(place.file_name);
    parts.push_back({std::move(place), &entry});
  }
  std::vector<StackedTensor> tensors;
  for (const std::string& name : order) tensors.push_back(stack(name, std::move(by_name[name])));
  return tensors;
}

}  // namespace colonnade
