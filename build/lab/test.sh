#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the lab on the kernels named, one after the other; on 6.1 and 6.12 if none is. Shows first that the lab
# notices what it should. All are run, also when one fails. Without build/out/ringpeak-static and
# build/out/lab/c-nvme only the devices are looked at.
#
#   build/lab/test.sh [KERNEL...]
#   build/lab/test.sh tools          only build the lab's programs
#
# Environment: GO, and LAB_PACKAGES, the packages whose tests are run in the guest.
set -eu
cd "$(dirname "$0")/../.."
out=build/out
lab=$out/lab/lab

mkdir -p "$out/lab"
CGO_ENABLED=0 ${GO:-go} build -buildvcs=false -o "$lab" ./build/lab/lab
CGO_ENABLED=0 ${GO:-go} build -buildvcs=false -ldflags '-s -w' -o "$out/lab/init" ./build/lab/init
[ "${1-}" != tools ] || exit 0

[ $# -gt 0 ] || set -- 6.1 6.12
packages=
# Of sysfs only what reads the machine's own: the guest is too slow for all the rest.
for p in ${LAB_PACKAGES-./go/device ./go/sysfs=ThisMachine|RealProc ./cmd/ringpeak=Lab}; do
	packages="$packages --package $p"
done
bin=
[ ! -x "$out/ringpeak-static" ] || bin="--bin $out/ringpeak-static"
[ ! -x "$out/lab/c-nvme" ] || bin="$bin --test $out/lab/c-nvme"

failed=
"$lab" run --kernel "$1" --self-check || failed=" self-check"
for kernel; do
	"$lab" run --kernel "$kernel" $bin $packages || failed="$failed $kernel"
done
[ -z "$failed" ] || { echo "lab failed:$failed" >&2; exit 1; }
