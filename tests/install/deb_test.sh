#!/usr/bin/env bash
# deb_test.sh BUILD_DIR: makes a Debian package of that build, unpacks it into an empty root and runs the command there.
set -euo pipefail

build_dir=$1
here=$(cd "$(dirname "$0")" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
fail() { echo "deb: $*"; exit 1; }

package=$("$here/../../tools/make_deb.sh" "$build_dir" "$stage")
version=$("$build_dir/bin/colonnade" --version | grep -o '[0-9][0-9.]*' | head -1)
[ "$package" = "$stage/colonnade_${version}_$(dpkg --print-architecture).deb" ] || fail "is called $package"

# Without scripts there is nothing to configure: what is unpacked is installed.
dpkg -x "$package" "$stage/root"
"$stage/root/usr/bin/colonnade" --version | grep -qF "$version" || fail "the command does not tell its version"
for path in bin/colonnade share/man/man1/colonnade.1.gz share/bash-completion/completions/colonnade \
  share/zsh/vendor-completions/_colonnade share/fish/vendor_completions.d/colonnade.fish \
  share/doc/colonnade/copyright share/doc/colonnade/changelog.gz share/doc/colonnade/README.md \
  share/doc/colonnade/docs/command.md; do
  [ -f "$stage/root/usr/$path" ] || fail "/usr/$path is missing"
done
find "$stage/root" -name '*.a' -o -name '*.h' -o -name '*.cmake' | grep . && fail "the files above are for programmers"
(cd "$stage/root" && dpkg-deb --ctrl-tarfile "$package" | tar -xO ./md5sums | md5sum --quiet -c) || fail "md5sums is wrong"

# Every library that the command loads comes from a package that it depends on, installed here as the build linked it.
depends=$(dpkg-deb -f "$package" Depends | sed 's/, /\n/g' | cut -d' ' -f1)
for library in $(ldd "$stage/root/usr/bin/colonnade" | sed -n 's/.*=> \([^ ]*\).*/\1/p'); do
  file=$(realpath "$library")  # dpkg knows some by their place before /lib became /usr/lib
  owner=$(dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}") || fail "$library belongs to no package"
  grep -qxF "${owner%%:*}" <<<"$depends" || fail "$library belongs to ${owner%%:*}; it depends on:" $depends
done
dpkg-deb -c "$package" | awk '$2 != "root/root" {print; bad = 1} END {exit bad}' || fail "the files above are not root's"

again=$("$here/../../tools/make_deb.sh" "$build_dir" "$stage/again")
cmp "$package" "$again" || fail "made twice, it differs"
