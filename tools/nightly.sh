#!/usr/bin/env bash
# What takes longer than a change should wait for: every test in its long form (COLONNADE_NIGHTLY=1), clang's build under
# the same tests, the sanitizers over everything, and minutes of fuzzing instead of seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/step.sh
export COLONNADE_NIGHTLY=1

step "test (gcc release)" make test WERROR=ON
step "check" make check WERROR=ON
step "clang: build" build clang
step "clang: test" ctest --preset clang -j "$(nproc)"
step "asan+ubsan: build" build asan+ubsan
step "asan+ubsan: test" ctest --preset asan+ubsan -j "$(nproc)"
step "tsan: build" build tsan base_test comm_test device_test
step "tsan: test" ctest --preset tsan -R '^(base|comm|device)$'
step "fuzz" tools/run_fuzzers.sh 300
