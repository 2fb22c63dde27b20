#!/usr/bin/env bash
# A Debian package of the command in a build folder: tools/make_deb.sh BUILD_DIR [FOLDER]
# Writes FOLDER/colonnade_VERSION_ARCHITECTURE.deb (FOLDER: build) and prints its path. The package has the command, its man page,
# the shell completions and the documentation; what it depends on is read from the program. Needs dpkg-dev, and no root.
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
build_dir=$(cd "${1:?usage: tools/make_deb.sh BUILD_DIR [FOLDER]}" && pwd)
folder=${2:-$tools/../build}
umask 022

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build_dir/CMakeCache.txt"; }
[ -x "$build_dir/bin/colonnade" ] || {
  echo "make_deb.sh: expected the command at $build_dir/bin/colonnade: build it first (make, or the preset's target all)" >&2
  exit 1
}
version=$(cached CMAKE_PROJECT_VERSION)
case "$(readelf -h "$build_dir/bin/colonnade")" in
  *AArch64*) architecture=arm64 ;;
  *X86-64*) architecture=amd64 ;;
esac
maintainer="${DEBFULLNAME:-Colonnade} <${DEBEMAIL:-colonnade@localhost}>"
# The same tree gives the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$tools" log -1 --format=%ct 2>/dev/null || stat -c %Y "$build_dir/bin/colonnade")}
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/debian/colonnade
doc=$root/usr/share/doc/colonnade
cmake --install "$build_dir" --component command --strip --prefix "$root/usr" >/dev/null
mkdir -p "$root/usr/share/zsh" "$root/DEBIAN"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"  # where Debian's zsh looks
gzip -9n "$root"/usr/share/man/man1/*.1
mv "$doc/LICENSE" "$work/LICENSE"
cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: $(date -u +%Y -d "@$SOURCE_DATE_EPOCH") the authors of Colonnade
License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
END
gzip -9n >"$doc/changelog.gz" <<END
colonnade ($version) unstable; urgency=medium

  * The state of the source that this was built from.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END

# dpkg-shlibdeps reads which package owns each library and from which version on it will do. The cross build's libraries are
# owned by none here: the compiler's are in packages called NAME-arm64-cross or NAME:arm64, the others lie unpacked.
libraries=()
if [ "$architecture" != "$(dpkg --print-architecture)" ]; then
  libraries=(-l/usr/aarch64-linux-gnu/lib)
  for unpacked in "$tools"/../build/aarch64-sysroot/packages/*; do libraries+=("-S$unpacked"); done
fi
printf 'Source: colonnade\n\nPackage: colonnade\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && DEB_HOST_ARCH=$architecture dpkg-shlibdeps -O "${libraries[@]}" debian/colonnade/usr/bin/colonnade |
  sed -n 's/^shlibs:Depends=//p' | sed -E 's/-arm64-cross|:arm64//g')

cat >"$root/DEBIAN/control" <<END
Package: colonnade
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$root/usr" | cut -f1)
Depends: $depends
Section: science
Priority: optional
Description: language models on CPUs, cut across any number of ranks
 Runs transformer language models cut across ranks. What they answer depends on
 the weights, the tokens, the seed and the precision alone, to the bit: not on
 the number of ranks or threads, nor on the processor's instruction set.
END
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
mkdir -p "$folder"
package=$(cd "$folder" && pwd)/colonnade_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
