// GroupMembers: which ranks of all belong to a group, and in which order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace colonnade {

/// What a rank asks of split().
struct SplitWish {
  int color;
  int key;
};

class GroupMembers {
 public:
  /// `all`: of each member its rank among all.
  explicit GroupMembers(std::vector<int> all) : all_(std::move(all)) {}
  static GroupMembers everybody(int ranks) {
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
    return GroupMembers(std::move(all));
  }

  int size() const { return static_cast<int>(all_.size()); }
  /// Among all.
  int rank_of(int member) const { return all_[static_cast<size_t>(member)]; }
  /// Of this group; -1 for a rank outside of it.
  int member_of(int rank) const {
    const auto found = std::find(all_.begin(), all_.end(), rank);
    return found == all_.end() ? -1 : static_cast<int>(found - all_.begin());
  }
  /// Those whose wish has `color`, by key, then by member. Source: MPI-4.1, 7.4.2, MPI_Comm_split.
  GroupMembers of_color(int color, const std::vector<SplitWish>& wishes) const {
    std::vector<int> chosen;
    for (int m = 0; m < size(); ++m) {
      if (wishes[static_cast<size_t>(m)].color == color) chosen.push_back(m);
    }
    std::stable_sort(chosen.begin(), chosen.end(), [&](int a, int b) {
      return wishes[static_cast<size_t>(a)].key < wishes[static_cast<size_t>(b)].key;
    });
    for (int& m : chosen) m = rank_of(m);
    return GroupMembers(std::move(chosen));
  }

 private:
  std::vector<int> all_;  // [N]
};

}  // namespace colonnade
