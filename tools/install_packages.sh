#!/usr/bin/env bash
# Installs the Debian 12 packages that are missing: tools/install_packages.sh [--list-missing] GROUP...
#   build  what the command needs: compiler, CMake, libraries, and Python for the tools
#   test   what the tests and `make check` need besides: clang, GoogleTest, RapidCheck, Google Benchmark, Jinja2
#   deb    what `make deb` needs besides
#   arm    what the cross build for 64-bit Arm needs besides: compiler and emulator (tools/arm64_sysroot.sh has its libraries)
# Needs root, or sudo. Touches neither the network nor sudo when nothing is missing.
# --list-missing prints the names of the missing packages and installs nothing.
set -euo pipefail

build=(g++ cmake ninja-build ccache pkg-config make libfmt-dev libpcre2-dev libsimdjson-dev libutf8proc-dev
       libcli11-dev nlohmann-json3-dev libssl-dev python3 python3-pip)
test=(clang libclang-rt-14-dev clang-format binutils libgtest-dev libgmock-dev librapidcheck-dev
      libbenchmark-dev python3-jinja2 dpkg-dev)
deb=(dpkg-dev binutils)
arm=(g++-aarch64-linux-gnu qemu-user)

list_only=no
wanted=()
for argument in "$@"; do
  case "$argument" in
    --list-missing) list_only=yes ;;
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    deb) wanted+=("${deb[@]}") ;;
    arm) wanted+=("${arm[@]}") ;;
    *)
      echo "install_packages.sh: expected groups build, test, deb, arm or the option --list-missing, got '$argument'" >&2
      exit 2
      ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done

if [ "$list_only" = yes ]; then
  [ ${#missing[@]} -eq 0 ] || printf '%s\n' "${missing[@]}"
  exit 0
fi
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_packages.sh: these packages are missing: ${missing[*]}" >&2
    echo "Installing them needs root and there is no sudo here. As root: apt-get install -y ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "installing ${missing[*]}"
# Lists may be absent (a fresh container) or stale (old file names give 404): update once, then install.
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}"
