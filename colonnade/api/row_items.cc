#include "colonnade/api/row_items.h"

#include <algorithm>
#include <atomic>

#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/parallel_items.h"

namespace colonnade {

void for_row_items(const std::vector<RowsOfTensor>& tensors, int threads, const OnBytes& progress,
                   const std::function<void(const RowItem&)>& work) {
  std::vector<RowItem> items;
  int64_t all = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const RowsOfTensor& tensor = tensors[i];
    all += tensor.rows * tensor.row_bytes;
    for (int64_t row = 0; row < tensor.rows; row += tensor.step)
      items.push_back({i, {row, std::min(tensor.rows, row + tensor.step)}});
  }
  std::atomic<int64_t> done{0};  // relaxed: shown, orders nothing
  const auto work_on = [&](int64_t i) {
    const RowItem& item = items[static_cast<size_t>(i)];
    work(item);
    done.fetch_add(item.rows.size() * tensors[item.tensor].row_bytes, std::memory_order_relaxed);
  };
  const auto between = [&] {
    if (progress) progress(done.load(std::memory_order_relaxed), all);
  };
  if (threads == 0) threads = default_thread_count(read_cpu_topology());
  parallel_items(threads, static_cast<int64_t>(items.size()), work_on, between);
}

}  // namespace colonnade
