#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs the packages of build/packages.txt that are missing: as root; others are told what to install.
set -eu
list=$(dirname "$0")/packages.txt

if ! command -v dpkg-query >/dev/null; then
	echo "not a Debian system: make sure that what build/packages.txt names is there" >&2
	exit 0
fi

missing=
for package in $(sed 's/#.*//' "$list"); do
	status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	echo "missing packages:$missing" >&2
	echo "install them as root: apt-get install --no-install-recommends$missing" >&2
	exit 1
fi

printf '  %-7s%s\n' INSTALL "$missing"
# One broken third-party repository fails the whole update; whether it mattered, the installation tells.
apt-get -qq update || echo "apt-get update reported errors; trying to install nevertheless" >&2
DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >/dev/null
