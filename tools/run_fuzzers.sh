#!/usr/bin/env bash
# Builds every fuzzer of tests/fuzz with clang and runs each for SECONDS: tools/run_fuzzers.sh SECONDS [NAME...]
# Inputs that taught a fuzzer something stay in build/fuzz/corpus/NAME and are where its next run begins. A crash leaves its
# input in build/fuzz/crashes and ends the script: make a test of it, then fix it.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: tools/run_fuzzers.sh SECONDS [NAME...]}
shift
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$(nproc)" --target fuzzers
programs=build/fuzz/bin/fuzz
crashes=build/fuzz/crashes
mkdir -p "$crashes"

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cc; do
    names+=("$(basename "$source" _fuzz.cc)")
  done
fi

for name in "${names[@]}"; do
  corpus=build/fuzz/corpus/$name
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256
           -artifact_prefix="$crashes/$name-" -verbosity=0 -print_final_stats=1)
  mkdir -p "$corpus"
  [ ! -x "$programs/${name}_seeds" ] || "$programs/${name}_seeds" "$corpus"
  [ ! -f "tests/fuzz/$name.dict" ] || options+=(-dict="tests/fuzz/$name.dict")
  echo "fuzzing $name for $seconds s"
  log=$crashes/$name.log
  if ! "$programs/${name}_fuzz" "${options[@]}" "$corpus" >"$log" 2>&1; then
    cat "$log"
    echo "$name: the fuzzer found a failing input; it is in $crashes" >&2
    exit 1
  fi
  grep -E 'number_of_executed_units|peak_rss_mb' "$log"
done
