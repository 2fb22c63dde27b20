#!/usr/bin/env bash
# Brings the arm64 libraries that the cross build links into build/aarch64-sysroot: tools/arm64_sysroot.sh
# Fetches Debian's own packages from the mirror that apt is set up for, with lists of its own, and unpacks them there. So it
# needs no root, and the packages of this machine stay as they are. Does nothing when they are all there.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(libfmt-dev libfmt9 libpcre2-dev libpcre2-8-0 libssl-dev libssl3 libsimdjson-dev libsimdjson14
          nlohmann-json3-dev libgtest-dev libgmock-dev librapidcheck-dev)
sysroot=$PWD/build/aarch64-sysroot
stamp=$sysroot/complete
[ ! -e "$stamp" ] || [ "$(cat "$stamp")" != "${packages[*]}" ] || exit 0

rm -rf "$sysroot"
mkdir -p "$sysroot/packages"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"  # apt fetches as a user of its own
mkdir -p "$work"/{state/lists,cache/archives,debs}
touch "$work/status"
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Acquire::Languages=none -o APT::Sandbox::User=
         -o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache")
apt-get "${options[@]}" update
(cd "$work/debs" && apt-get "${options[@]}" download "${packages[@]}")
for deb in "$work"/debs/*.deb; do
  dpkg -x "$deb" "$sysroot"
  name=$(dpkg-deb -f "$deb" Package)
  case "$name" in  # what programs load, with what tools/make_deb.sh wants to know of the packages
    *-dev) ;;
    *) dpkg-deb -R "$deb" "$sysroot/packages/$name" ;;
  esac
done
echo "${packages[*]}" >"$stamp"
