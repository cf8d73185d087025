#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes build/out/lib/liburing.a, the one path that the Go package links. Runs on every build and
# does nothing when all is in place, after the content hash of liburing/src has been checked again.
#
# From the environment: LIBURING (empty, a path, or "system"), CC.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/liburing/PIN"
out=$root/build/out
tree=$out/liburing
archive=$out/lib/liburing.a
CC=${CC:-gcc}

die() { printf 'liburing: %s\n' "$*" >&2; exit 1; }

# Replaces $2 by $1 only if they differ: its time stamp is what make looks at.
install_if_changed() {
	if cmp -s "$1" "$2"; then rm -f "$1"; else mv -f "$1" "$2"; fi
}

use_system() {
	command -v pkg-config >/dev/null || die "LIBURING=system needs pkg-config"
	pkg-config --atleast-version="$LIBURING_SYSTEM_MIN" liburing ||
		die "LIBURING=system needs liburing >= $LIBURING_SYSTEM_MIN, found $(pkg-config --modversion liburing 2>/dev/null || echo none)"
	libdir=$(pkg-config --variable=libdir liburing)
	if [ -f "$libdir/liburing.a" ]; then
		cp "$libdir/liburing.a" "$archive.new"
	elif [ -f "$libdir/liburing.so" ]; then
		# No static library: a linker script of that name leads to the shared one. A full path,
		# because -luring would find this very file again.
		echo "INPUT($libdir/liburing.so)" >"$archive.new"
	else
		die "pkg-config says liburing is in $libdir, but neither liburing.a nor liburing.so is there"
	fi
	install_if_changed "$archive.new" "$archive"
}

# Builds in a copy, so that liburing/src stays as it was fetched. What the user has in the
# environment for other software (or for us) must not leak into it: the flags here are the portable
# default, with position independence for those who link the archive into a PIE.
build_tree() {
	rm -rf "$tree" "$tree.new"
	mkdir -p "$tree.new"
	cp -R "$root/liburing/src/." "$tree.new"
	(
		unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS LIBS AR ARFLAGS RANLIB CXX V DESTDIR \
			MAKEFLAGS MFLAGS MAKEOVERRIDES GNUMAKEFLAGS MAKEFILES MAKELEVEL
		export LC_ALL=C
		cd "$tree.new"
		CC=$CC sh ./configure
		make -C src liburing.a CC="$CC" ENABLE_SHARED=0 LIBURING_CFLAGS="-g -fPIC"
	) >"$out/liburing.log" 2>&1 || {
		tail -n 20 "$out/liburing.log" >&2
		die "building it failed; the whole log is build/out/liburing.log"
	}
	printf '%s\n' "$1" >"$tree.new/.ringpeak-stamp"
	mv "$tree.new" "$tree"
}

use_pinned() {
	"$root/liburing/fetch.sh"
	# What the archive depends on: the pinned content, the compiler and this script.
	stamp="$LIBURING_TREE_SHA256 $CC $($CC --version | head -n 1) $(sha256sum <"$0")"
	if [ ! -f "$tree/src/liburing.a" ] || [ "$(cat "$tree/.ringpeak-stamp" 2>/dev/null)" != "$stamp" ]; then
		printf '  %-7s %s\n' BUILD "liburing $LIBURING_VERSION"
		build_tree "$stamp"
	fi
	cp "$tree/src/liburing.a" "$archive.new"
	install_if_changed "$archive.new" "$archive"
}

mkdir -p "$out/lib"
# Two makes at once in one tree must not build it twice into the same folder.
if command -v flock >/dev/null; then
	exec 9>"$out/liburing.lock"
	flock 9
fi
case "${LIBURING:-}" in
system) use_system ;;
*) use_pinned ;;
esac
