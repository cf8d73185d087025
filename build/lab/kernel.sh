#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Puts a Debian cloud kernel into build/out/lab/kernels/VERSION, for the lab to boot. Nothing is installed.
#
#   build/lab/kernel.sh 5.10|6.1|6.12|7     get it if it is not there
#
# The folder then holds: vmlinuz, lib/modules/RELEASE (with modules.dep), config (what the kernel was built with),
# release (the kernel's release), packages (name and version of each package used). Remove it to take what the suite serves today.
set -eu
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin # depmod, for users whose PATH has no sbin

version=${1:-}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
kernels=$root/build/out/lab/kernels
dest=$kernels/$version
work=$kernels/.$version.$$
apt_dir=$work/apt
log=$work/log
. "$here/apt.sh"

say() { printf '  %-7s %s\n' "$1" "$2" >&2; }
die() { printf 'kernel %s: %s\n' "$version" "$*" >&2; exit 1; }

# The newest of these suites is taken. Security updates of a suite past its life are in their own archive.
options=
case $version in
5.10)
	suites='archive:bullseye security:bullseye-security'
	# Nobody renews the dates of an archive that is closed. Its signatures are checked all the same.
	options=check-valid-until=no
	;;
6.1) suites='archive:bookworm security:bookworm-security' ;;
6.12) suites='archive:trixie security:trixie-security' ;;
7) suites='archive:trixie-backports' ;;
*) echo "usage: build/lab/kernel.sh 5.10|6.1|6.12|7" >&2; exit 2 ;;
esac

[ ! -e "$dest/release" ] || exit 0
for tool in apt-get dpkg-deb depmod; do
	command -v $tool >/dev/null || die "$tool is missing (packages: build/packages.txt)"
done
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$work"

# The suites differ in what they have, so each is tried alone: one that is gone does not hide the others.
sources() {
	apt_prepare
	for suite in $suites; do
		for site in $(apt_sites "${suite%%:*}"); do
			: >"$apt_dir/sources.list"
			apt_source "$site" "${suite#*:}" "$options"
			if apt_update >>"$log" 2>&1; then
				cat "$apt_dir/sources.list" >>"$work/sources"
				break
			fi
		done
	done
	[ -s "$work/sources" ] || return 1
	mv "$work/sources" "$apt_dir/sources.list"
	apt_update >>"$log" 2>&1
}

# Names and versions of what package $1 (=version) depends on that match $2: "name=version" each.
depends() {
	apt_cache show --no-all-versions "$1" | sed -n 's/^Depends: //p' | tr ',|' '\n\n' |
		sed -n 's/^ *\([^ ]*\) (= \(.*\))$/\1=\2/p' | grep -E "^($2)" || true
}

say FETCH "kernel $version (Debian cloud kernel; suites:$(for s in $suites; do printf ' %s' "${s#*:}"; done))"
sources || {
	grep -E '^(E|W|Err)[: ]' "$log" | tail -n 5 >&2
	if grep -qE 'NO_PUBKEY|not signed|signatures' "$log"; then
		die "this machine's keyring cannot verify the suite, so nothing was taken (a newer debian-archive-keyring helps)"
	fi
	die "no mirror in this machine's apt configuration serves the suite"
}

image=$(depends linux-image-cloud-amd64 'linux-image-[0-9]' | head -n 1)
[ -n "$image" ] || die "the suite has no linux-image-cloud-amd64"
# Newer packages are split: the image only names those with vmlinuz, the modules and their lists.
packages="$image $(depends "$image" 'linux-(base|binary|modules)-[0-9]')"
(cd "$apt_dir/get" && apt_get -q download $packages) >>"$log" 2>&1 || { tail -n 5 "$log" >&2; die "the download of $packages failed"; }

mkdir "$work/root" "$work/kernel"
for deb in "$apt_dir"/get/*.deb; do
	dpkg-deb -x "$deb" "$work/root"
	dpkg-deb -W --showformat='${Package} ${Version}\n' "$deb" >>"$work/kernel/packages"
done
# /lib or, in newer packages, /usr/lib.
modules=$(find "$work/root" -path '*/lib/modules/*' -prune -type d | head -n 1)
[ -n "$modules" ] || die "$packages hold no modules"
release=${modules##*/}
vmlinuz=$(find "$work/root" -name "vmlinuz-$release" -o -path "*/modules/$release/vmlinuz" | head -n 1)
[ -n "$vmlinuz" ] || die "$packages hold no vmlinuz for $release"
config=$(find "$work/root" -name "config-$release" -o -path "*/modules/$release/config" | head -n 1)
[ -n "$config" ] || die "$packages hold no configuration of $release"
cp "$config" "$work/kernel/config"
mkdir -p "$work/kernel/lib/modules"
mv "$vmlinuz" "$work/kernel/vmlinuz"
mv "$modules" "$work/kernel/lib/modules/"
depmod -b "$work/kernel" "$release" 2>>"$log" || { tail -n 5 "$log" >&2; die "depmod failed"; }
echo "$release" >"$work/kernel/release"

# Appears whole, so that an interrupted or a second run never sees half of it.
[ -e "$dest/release" ] || { rm -rf "$dest" && mv "$work/kernel" "$dest"; }
say KERNEL "$version is $release ($(sed 's/ /=/' "$dest/packages" | tr '\n' ' ' | sed 's/ $//'))"
