#!/usr/bin/env bash
# The cross build for 64-bit Arm, under QEMU: the kernels' tests, the command, whose answers must have the bits of the native one's,
# and its Debian package: tools/test_arm.sh [NATIVE_COMMAND]
# A receipt has a digest of the logits of every step. What one processor computed the other one computes again.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/step.sh

native=${1:-build/release/bin/colonnade}
[ -x "$native" ] || { echo "test_arm.sh: expected the native command at $native: make" >&2; exit 1; }
tools/install_packages.sh build test deb arm
tools/arm64_sysroot.sh
build aarch64 colonnade colonnade_printed kernels_test

emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
export GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
GTEST_TOTAL_SHARDS=$(nproc)
shards=()
for ((GTEST_SHARD_INDEX = 0; GTEST_SHARD_INDEX < GTEST_TOTAL_SHARDS; ++GTEST_SHARD_INDEX)); do
  "${emulator[@]}" build/aarch64/bin/kernels_test --gtest_brief=1 &
  shards+=($!)
done
for shard in "${shards[@]}"; do wait "$shard"; done

arm=("${emulator[@]}" build/aarch64/bin/colonnade)
model=$(tools/get_model smollm2-135m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_arm.sh: $*" >&2; exit 1; }
device_of() { grep -o '"device":"[^"]*"' "$1"; }

# holds RECEIPT [VARIABLE=VALUE] COMMAND...: that command computes the receipt's run again.
holds() {
  local receipt=$1
  shift
  env "$@" verify -m "$model" --receipt "$receipt" >"$work/answer" || {
    cat "$work/answer"
    fail "'$*' does not give the bits of $(device_of "$receipt")"
  }
}

options=(-m "$model" -p "The quick brown fox jumps over" -n 4 --temp 0 --tp 2)
"$native" run "${options[@]}" --receipt "$work/native.json" >/dev/null
holds "$work/native.json" "${arm[@]}"
# QEMU's own thread stands beside the command's, which therefore may not fork: ranks are threads.
"${arm[@]}" run "${options[@]}" --ranks-as threads --precision int15 --receipt "$work/arm.json" >/dev/null
[[ $(device_of "$work/arm.json") == *"cpu neondot,"* ]] || fail "expected the table neondot, got $(device_of "$work/arm.json")"
holds "$work/arm.json" "$native"
holds "$work/arm.json" COLONNADE_ISA=neon "${arm[@]}"
echo "64-bit Arm gives the bits of $(device_of "$work/native.json")"

package=$(tools/make_deb.sh build/aarch64 "$work")
[[ $package == *_arm64.deb ]] || fail "the package is called $package"
dpkg -x "$package" "$work/root"
"${emulator[@]}" -E LD_LIBRARY_PATH="$PWD/build/aarch64-sysroot/usr/lib/aarch64-linux-gnu" "$work/root/usr/bin/colonnade" --version
dpkg-deb -f "$package" Architecture Depends
