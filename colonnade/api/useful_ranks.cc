#include "colonnade/api/useful_ranks.h"

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

int64_t divided(const MatrixParam& param) {
  return param.leaf.kind == LeafRule::ordinary ? param.rows : param.cols;
}

bool holds_something(const ParamSet& params, const Cut& cut, int rank) {
  for (const MatrixParam& param : params.matrices()) {
    if (param.unit == 0) continue;
    const Partition parts(divided(param), param.unit, cut.ranks, cut.shares);
    if (!parts.of(rank).empty()) return true;
  }
  return false;
}

}  // namespace

UsefulRanks largest_useful_ranks(const ParamSet& params) {
  UsefulRanks most;
  for (const MatrixParam& param : params.matrices()) {
    if (param.unit == 0) continue;
    const int64_t units = (divided(param) + param.unit - 1) / param.unit;
    if (units > most.ranks || most.parameter.empty())
      most = {static_cast<int>(units), param.name, divided(param), param.unit};
  }
  return most;
}

void check_useful_ranks(const ParamSet& params, const Cut& cut) {
  CN_CHECK(cut.ranks >= 1, "ranks: expected at least 1, got ", cut.ranks);
  const UsefulRanks most = largest_useful_ranks(params);
  CN_CHECK(cut.ranks <= most.ranks, "ranks: expected at most ", most.ranks, " for this model, got ",
           cut.ranks, ": its finest cut is ", most.parameter, ", ", most.total, " in units of ",
           most.unit, ", and further ranks would hold nothing");
  for (int rank = 0; rank < cut.ranks; ++rank) {
    CN_CHECK(holds_something(params, cut, rank), "shares: rank ", rank,
             ": expected a share that gives it a part of some layer, got one too small even for ",
             most.parameter, ", ", most.total, " in units of ", most.unit,
             "; give it more or leave it out");
  }
}

}  // namespace colonnade
