#include "colonnade/engine/step_leader.h"

#include "colonnade/base/cpu_float_env.h"
#include "colonnade/comm/collectives.h"

namespace colonnade {
namespace {

constexpr const char* kNextStep = "the next step";

}  // namespace

StepLeader::StepLeader(StepRunner& runner, double timeout_s)
    : runner_(runner), timeout_s_(timeout_s) {}

StepLeader::~StepLeader() {
  try {
    bytes_.clear();  // no step is that short: the end
    broadcast(runner_.group(), bytes_, 0, kNextStep);
  } catch (const Error&) {
    // A rank is lost: those that live hear of it as this one did.
  }
}

const StepResult& StepLeader::run(Step& step) {
  Group& group = runner_.group();
  step.number = ++steps_;
  group.set_timeout(timeout_s_);
  write_step(step, bytes_);
  broadcast(group, bytes_, 0, kNextStep);
  return runner_.run(step);
}

void follow(StepRunner& runner, double timeout_s) {
  const FloatEnvironment environment;
  Group& group = runner.group();
  Step step;
  std::vector<std::byte> bytes;
  for (;;) {
    group.set_timeout(0);  // rank 0 may wait for its user
    broadcast(group, bytes, 0, kNextStep);
    if (bytes.empty()) return;
    group.set_timeout(timeout_s);
    read_step(bytes, step);
    try {
      runner.run(step);
    } catch (const AgreedError&) {
      // Rank 0 reports it.
    }
  }
}

}  // namespace colonnade
