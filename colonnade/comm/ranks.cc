#include "colonnade/comm/ranks.h"

#include "colonnade/comm/process_ranks.h"
#include "colonnade/comm/thread_ranks.h"

namespace colonnade {
namespace {

class SoloRanks final : public Ranks {
 public:
  explicit SoloRanks(int64_t part_bytes) : group_(part_bytes) {}
  Group& group() override { return group_; }

 private:
  SoloGroup group_;
};

}  // namespace

std::unique_ptr<Ranks> start_ranks(RanksAs as, const RankOptions& options, const RankBody& body) {
  CN_CHECK(options.ranks >= 1, "ranks: expected at least 1, got ", options.ranks);
  if (options.ranks == 1) return std::make_unique<SoloRanks>(options.part_bytes);
  if (as == RanksAs::threads) return std::make_unique<ThreadRanks>(options, body);
  return std::make_unique<ProcessRanks>(options, body);
}

}  // namespace colonnade
