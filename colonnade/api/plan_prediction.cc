#include "colonnade/api/plan_prediction.h"

#include <algorithm>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr Link kLinks[] = {{"shared-memory", 0.4e-6, 15e9, Link::cores},
                           {"nvlink", 5e-6, 400e9, Link::devices},
                           {"thunderbolt", 25e-6, 8e9, Link::machines},
                           {"10GbE", 30e-6, 1.17e9, Link::machines},
                           {"1GbE", 60e-6, 117e6, Link::machines}};

}  // namespace

std::span<const Link> known_links() { return kLinks; }

const Link* find_link(std::string_view name) {
  for (const Link& link : kLinks) {
    if (link.name == name) return &link;
  }
  return nullptr;
}

double exchange_seconds(const Link& link, Exchange::Kind kind, int ranks, int64_t bytes) {
  if (ranks == 1) return 0;
  const double others = ranks - 1;
  const double whole_s = static_cast<double>(bytes) / link.bytes_per_s;
  const double one_shot_s = link.latency_s + others * whole_s;
  if (kind != Exchange::sum) return one_shot_s;
  return std::min(one_shot_s, 2 * (link.latency_s + others * whole_s / ranks));
}

Prediction predict_decode(const ModelPlan& plan, const Link& link,
                          const std::vector<double>& bytes_per_s, int64_t positions) {
  CN_CHECK(bytes_per_s.size() == plan.ranks.size(), "bandwidth: expected one for each of ",
           plan.size(), " ranks, got ", bytes_per_s.size());
  Prediction prediction;
  for (size_t r = 0; r < plan.ranks.size(); ++r) {
    CN_CHECK(bytes_per_s[r] > 0, "bandwidth: rank ", r, ": expected bytes/s above 0, got ",
             bytes_per_s[r]);
    const RankPlan& rank = plan.ranks[r];
    const int64_t bytes = rank.bytes_per_token + rank.cache_bytes_per_position * positions;
    prediction.read_s = std::max(prediction.read_s, static_cast<double>(bytes) / bytes_per_s[r]);
  }
  for (const Exchange& exchange : plan.exchanges)
    prediction.exchange_s += static_cast<double>(exchange.per_token) *
                             exchange_seconds(link, exchange.kind, plan.size(), exchange.bytes);
  return prediction;
}

}  // namespace colonnade
