#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Puts the pinned liburing into liburing/src, or refuses.
#
#   liburing/fetch.sh            make liburing/src match liburing/PIN, fetching it if it is absent
#   liburing/fetch.sh hash DIR   print the content hash of a tree (to update PIN)
#
# LIBURING=/path/to/tarball-or-tree in the environment is used instead of the network.
# Where the files come from does not matter: nothing is used before its content hash equals the pinned one.
set -eu
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
. "$here/PIN"

src=$here/src
work=$root/build/out/fetch
log=$work/log

say() { printf '  %-7s %s\n' "$1" "$2"; }
die() { printf 'liburing: %s\n' "$*" >&2; exit 1; }

tree_hash() {
	(cd "$1" && find . -type f -print0 | sort -z | xargs -0 -r sha256sum | sha256sum | cut -d' ' -f1)
}

# The hash sees regular files only. liburing has links among its man pages and nowhere else;
# a link or a device anywhere else could smuggle in a header that the hash does not cover.
odd_files() {
	find "$1" ! -type f ! -type d ! -path "$1/man/*"
}

tree_matches() {
	[ "$(tree_hash "$1")" = "$LIBURING_TREE_SHA256" ] && [ -z "$(odd_files "$1")" ]
}

mismatch() { # $1 = tree, $2 = what that means to the user
	found=$(tree_hash "$1")
	if [ "$found" = "$LIBURING_TREE_SHA256" ]; then
		why="it holds something that is not a plain file: $(odd_files "$1" | head -n 1)"
	else
		why="content hash $found, expected $LIBURING_TREE_SHA256"
	fi
	die "$1 is not liburing $LIBURING_VERSION as pinned in liburing/PIN: $why. $2"
}

# Moves a verified tree into place. Nothing else writes liburing/src.
accept() {
	tree_matches "$1" || mismatch "$1" "It was not used."
	rmdir "$src" 2>/dev/null || true
	mv "$1" "$src"
}

# Unpacks a tarball that has one top folder; prints that folder.
unpack() {
	rm -rf "$work/unpack"
	mkdir -p "$work/unpack"
	tar -x --no-same-owner --no-same-permissions -f "$1" -C "$work/unpack" >&2 || return 1
	set -- "$work/unpack"/*
	[ $# -eq 1 ] && [ -d "$1" ] || return 1
	printf '%s\n' "$1"
}

from_user() {
	if [ -d "$1" ]; then
		say COPY "liburing $LIBURING_VERSION from the tree $1"
		mkdir -p "$work/unpack"
		cp -R "$1" "$work/unpack/tree"
		rm -rf "$work/unpack/tree/.git" # a checkout is as good as a tarball
		tree=$work/unpack/tree
	elif [ -f "$1" ]; then
		say UNPACK "liburing $LIBURING_VERSION from the tarball $1"
		tree=$(unpack "$1") || die "$1 is not a tarball with one top folder"
	else
		die "LIBURING=$1 is neither a file nor a folder (nor the word 'system')"
	fi
	tree_matches "$tree" || mismatch "$tree" "It came from $1 and was not used (a tree must be a clean checkout or a freshly unpacked release, never built in)."
	accept "$tree"
}

# The base addresses of Debian itself, from the machine's own configuration, so that mirrors and
# proxies are respected. Other vendors' repositories show up there as well; Origin tells them apart.
debian_sites() {
	{
		apt-get indextargets --format '$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(SITE)' |
			awk -F'|' '$1 == "Debian" && $2 == "main" && $3 !~ /-/ { print $4 }'
		# A machine that never ran `apt-get update` has no Origin to look at: go by the name.
		apt-get --print-uris update |
			sed -n "s|^'\(.*/debian\)/*/dists/.*|\1|p"
	} 2>>"$log" | awk '!seen[$0]++'
}

# apt with its state in build/out only: the system's lists, cache and locks are neither used nor
# touched, and no root is needed. The hooks are cleared because they would act on the system's cache.
# Proxy settings of the machine stay in force. The sandbox user could not write below build/out.
apt_private() {
	apt-get -c "$work/apt/apt.conf" "$@"
}

apt_prepare() {
	rm -rf "$work/apt"
	mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/parts" "$work/apt/get"
	cat >"$work/apt/apt.conf" <<-EOF
		Dir::Etc::sourcelist "$work/apt/sources.list";
		Dir::Etc::sourceparts "$work/apt/parts";
		Dir::State::Lists "$work/apt/lists";
		Dir::Cache "$work/apt/cache";
		APT::Sandbox::User "root";
		Acquire::Retries "2";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	EOF
}

apt_download() { # $1 = options of the source line, $2 = site
	echo "deb-src ${1:+$1 }$2 $LIBURING_DEBIAN_SUITE main" >"$work/apt/sources.list"
	apt_private -q update || return 1
	(cd "$work/apt/get" && apt_private -q source --download-only --tar-only --only-source \
		"$LIBURING_DEBIAN_SOURCE=$LIBURING_DEBIAN_VERSION") || return 1
}

from_debian() {
	command -v apt-get >/dev/null || return 1
	apt_prepare
	for site in $(debian_sites); do
		say FETCH "liburing $LIBURING_VERSION (Debian source package $LIBURING_DEBIAN_VERSION)"
		# A machine whose keyring is older than the suite cannot check its signature. Doing without
		# is acceptable here because the tarball's own SHA-256 is checked before it is unpacked.
		apt_download "" "$site" >>"$log" 2>&1 || apt_download "[trusted=yes]" "$site" >>"$log" 2>&1 || continue
		tarball=$(find "$work/apt/get" -name '*.orig.tar.*' | head -n 1)
		[ -n "$tarball" ] || continue
		sum=$(sha256sum "$tarball" | cut -d' ' -f1)
		if [ "$sum" != "$LIBURING_DEBIAN_SHA256" ]; then
			say REFUSE "the mirror's tarball has SHA-256 $sum, pinned is $LIBURING_DEBIAN_SHA256"
			rm -f "$tarball"
			continue
		fi
		tree=$(unpack "$tarball") || continue
		accept "$tree"
		return 0
	done
	return 1
}

from_upstream() {
	command -v git >/dev/null || return 1
	say FETCH "liburing $LIBURING_VERSION ($LIBURING_UPSTREAM, tag $LIBURING_UPSTREAM_TAG)"
	rm -rf "$work/git"
	# No prompt, no line-end conversion, and no waiting for ever where packets are dropped.
	GIT_TERMINAL_PROMPT=0 timeout 120 git -c core.autocrlf=false -c advice.detachedHead=false clone --quiet \
		--depth 1 --branch "$LIBURING_UPSTREAM_TAG" "https://$LIBURING_UPSTREAM" "$work/git" >>"$log" 2>&1 </dev/null || return 1
	rm -rf "$work/git/.git"
	accept "$work/git"
}

main() {
	if [ -d "$src" ] && [ -n "$(ls -A "$src")" ]; then
		tree_matches "$src" || mismatch "$src" "It is never edited: 'make distclean' removes it, 'make fetch' gets it again."
		return 0
	fi

	rm -rf "$work"
	mkdir -p "$work"
	if [ -n "${LIBURING:-}" ]; then
		from_user "$LIBURING"
	elif ! from_debian && ! from_upstream; then
		die "could not get liburing $LIBURING_VERSION from a Debian mirror or from $LIBURING_UPSTREAM (log: build/out/fetch/log);" \
			"give it with 'make fetch LIBURING=/path/to/tarball-or-tree', or use an installed one (>= $LIBURING_SYSTEM_MIN) with 'make LIBURING=system'"
	fi
	rm -rf "$work"
}

case "${1:-}" in
'') main ;;
hash) tree_hash "$2" ;;
*) die "usage: fetch.sh [hash DIR]" ;;
esac
