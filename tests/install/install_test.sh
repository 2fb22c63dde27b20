#!/usr/bin/env bash
# install_test.sh BUILD_DIR: installs that build into a temporary folder, then configures, builds and runs a program that
# finds it there with find_package(colonnade).
set -euo pipefail

build_dir=$1
here=$(cd "$(dirname "$0")" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

cmake --install "$build_dir" --prefix "$stage/prefix" >/dev/null
cmake -S "$here/consumer" -B "$stage/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$stage/prefix" >/dev/null
cmake --build "$stage/consumer" >/dev/null
[ "$("$stage/consumer/consumer")" = "consumer: expected 1, got 2" ]

wanted=(share/doc/colonnade/LICENSE include/colonnade/base/error.h)
[ ! -e "$build_dir/bin/colonnade" ] || wanted+=(bin/colonnade share/man/man1/colonnade.1
  share/bash-completion/completions/colonnade share/zsh/site-functions/_colonnade
  share/fish/vendor_completions.d/colonnade.fish)
for path in "${wanted[@]}"; do
  [ -e "$stage/prefix/$path" ] || { echo "install: $path is missing"; exit 1; }
done
if find "$stage/prefix" -name '*.inl.h' -o -path '*include/colonnade/cli' | grep .; then
  echo "install: the files above are private"
  exit 1
fi
