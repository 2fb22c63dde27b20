// What colonnade plan has found out, and how it shows it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "colonnade/api/plan.h"
#include "colonnade/api/plan_fit.h"
#include "colonnade/api/plan_prediction.h"
#include "colonnade/cli/options.h"

namespace colonnade::cli {

struct LinkForecast {
  const Link* link = nullptr;
  std::vector<double> bytes_per_s;  // [N]
  Prediction first;                 // the first token
  Prediction last;                  // the last one of the context
};

struct PlanReport {
  std::string path;
  ModelPlan plan;
  std::vector<double> shares;  // empty: equal
  MemoryOffer memory;
  bool memory_measured = false;
  PlanFit fit;
  bool bandwidth_measured = false;
  std::vector<LinkForecast> forecasts;
};

std::string plan_page(const PlanReport& report);
/// Three lines.
std::string brief_plan(const PlanReport& report);
nlohmann::ordered_json plan_json(const PlanReport& report);
/// A picture: one layer of each kind, embedding and head.
std::string plan_svg(const PlanReport& report);

}  // namespace colonnade::cli
