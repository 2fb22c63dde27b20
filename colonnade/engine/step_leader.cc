#include "colonnade/engine/step_leader.h"

#include "colonnade/base/cpu_float_env.h"
#include "colonnade/comm/collectives.h"

namespace colonnade {
namespace {

constexpr double kFarewell_s = 2;
constexpr const char* kNextStep = "the next step";

}  // namespace

StepLeader::~StepLeader() {
  try {
    // Who does not hear it within a moment hears that rank 0 has left.
    runner_.group().set_timeout(kFarewell_s);
    bytes_.clear();  // no step is that short: the end
    broadcast(runner_.group(), bytes_, 0, kNextStep);
  } catch (const Error&) {
    // A rank is lost: those that live hear of it as this one did.
  }
}

const StepResult& StepLeader::run(Step& step) {
  step.number = ++steps_;
  write_step(step, bytes_);
  broadcast(runner_.group(), bytes_, 0, kNextStep);
  return runner_.run(step);
}

void follow(StepRunner& runner) {
  const FloatEnvironment environment;
  Step step;
  std::vector<std::byte> bytes;
  for (;;) {
    try {
      broadcast(runner.group(), bytes, 0, kNextStep);
      if (bytes.empty()) return;
      read_step(bytes, step);
      runner.run(step);
    } catch (const AgreedError&) {
      // Rank 0 reports it.
    }
  }
}

}  // namespace colonnade
