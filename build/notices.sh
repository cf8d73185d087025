#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the licences of everything that ends up in the binary: liburing, the Go runtime and the Go
# modules that cmd/ringpeak links. They are read from the sources that were built, so they cannot go stale.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}

section() { printf '\n## %s\n\n' "$1"; }
fenced() { echo '```'; cat "$@"; echo '```'; }

cat liburing/NOTICE.md
if [ -f "$($GO env GOROOT)/LICENSE" ]; then
	section "Go ($($GO env GOVERSION))"
	fenced "$($GO env GOROOT)/LICENSE"
fi
# Not in the pipe: a failure of go list must be ours.
modules=$($GO list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/ringpeak)
echo "$modules" | LC_ALL=C sort -u | while read -r path version dir; do
	[ -n "$path" ] || continue
	section "$path $version"
	found=
	for file in "$dir"/LICENSE* "$dir"/LICENCE* "$dir"/COPYING* "$dir"/NOTICE*; do
		[ -f "$file" ] || continue
		found=yes
		fenced "$file"
	done
	[ -n "$found" ] || { echo "no licence file in $path" >&2; exit 1; }
done
