# Sourced by .ci/run and tools/nightly.sh. step NAME COMMAND...: runs the command and says how long it took;
# the first failure ends the script with the name of the step.
step_started=$SECONDS

step() {
  local name=$1 began=$SECONDS status=0
  shift
  printf '\n==> %s\n' "$name"
  "$@" </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    printf '==> %s: FAILED with status %d after %d s\n' "$name" "$status" $((SECONDS - began))
    exit "$status"
  fi
  printf '==> %s: %d s (%d s since the start)\n' "$name" $((SECONDS - began)) $((SECONDS - step_started))
}

# build PRESET [TARGET...]: configures and builds it, all of it when no target is named.
build() {
  local preset=$1 options=()
  shift
  [ $# -eq 0 ] || options=(--target "$@")
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" -j "$(nproc)" "${options[@]}"
}
