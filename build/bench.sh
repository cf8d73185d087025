#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Ratios that say what ringpeak costs, each from pairs of runs in alternation (A B, B A, A B, …):
# an ordinary machine drifts by tens of per cent within minutes, and a pair does not.
# `make bench` builds what this runs. Nothing here passes or fails; read the medians and the spread.
#
#   build/bench.sh [PAIRS [SECONDS]]
set -euo pipefail
export LC_ALL=C

pairs=${1:-12}
seconds=${2:-1}
cd "$(dirname "$0")/.."
ringpeak=build/out/ringpeak
bench=build/out/bench

# Completions per second of one run.
rp() { # $1 = submit batch, further arguments for ringpeak
	local s=$1
	shift
	$ringpeak -N1 -d128 -s"$s" -c"$s" -r"$seconds" --json - "$@" 2>/dev/null |
		sed -n 's/^ *"iops_mean": \([0-9.e+]*\),*$/\1/p'
}
rp_s32() { rp 32; }
rp_s32_t1() { rp 32 -t1; }
rp_s32_each() { rp 32 --latency=each; }
rp_s1() { rp 1; }
rp_s1_single() { rp 1 --rounds 1; }
rp_two() { rp 32 -n2; }
bare_s32() { taskset -c 0 $bench/bench_bare "$seconds" 128 32 1000; }
c_s32() { taskset -c 0 $bench/bench_c "$seconds" 128 32 1000; }
c_s1() { taskset -c 0 $bench/bench_c "$seconds" 128 1 1000; }

# median, smallest and largest of the numbers on stdin
spread() {
	sort -g | awk '{ v[NR] = $1 } END {
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		printf "%.3f (%.3f to %.3f)", m, v[1], v[NR] }'
}

# $1 = what, $2 and $3 = two of the functions above: the ratio $2 / $3
ratio() {
	local a b i list=
	for ((i = 0; i < pairs; i++)); do
		if ((i % 2)); then
			b=$($3)
			a=$($2)
		else
			a=$($2)
			b=$($3)
		fi
		list+="$(awk -v a="$a" -v b="$b" 'BEGIN { print a / b }')"$'\n'
	done
	printf '%-54s %s\n' "$1" "$(printf %s "$list" | spread)"
}

# Milliseconds from start to end of a run of 10 ms, less those 10 ms.
overhead_ms() {
	local i from to
	for ((i = 0; i < pairs; i++)); do
		from=$(date +%s%N)
		$ringpeak -N1 -r10ms >/dev/null 2>&1
		to=$(date +%s%N)
		echo "$from $to" | awk '{ print ($2 - $1) / 1e6 - 10 }'
	done | spread
}

# Peak resident memory in MiB of a NOP run, which has no buffers.
peak_rss_mib() {
	local pid
	$ringpeak -N1 -r"$seconds" >/dev/null 2>&1 &
	pid=$!
	sleep "$(awk -v s="$seconds" 'BEGIN { print s * 0.8 }')"
	awk '/^VmHWM/ { printf "%.1f", $2 / 1024 }' /proc/$pid/status
	wait $pid
}

echo "NOP, depth 128, $pairs pairs of $seconds s: median ratio (smallest to largest)"
ratio 'ringpeak / bare loop, s=32' rp_s32 bare_s32
ratio 'ringpeak / the same loop without Go, s=32' rp_s32 c_s32
ratio 'ringpeak / the same loop without Go, s=1' rp_s1 c_s1
ratio 'one enter per cgo crossing / default, s=1' rp_s1_single rp_s1
ratio 'with latency (-t1) / without, s=32' rp_s32_t1 rp_s32
ratio 'with a stamp per I/O (--latency=each) / without, s=32' rp_s32_each rp_s32
if [ "$(nproc)" -ge 2 ]; then
	ratio 'two submitters on two CPUs / one, s=32' rp_two rp_s32
fi
printf '%-54s %s\n' 'ms from exec to exit of a 10 ms run, less those 10' "$(overhead_ms)"
printf '%-54s %s\n' 'peak resident memory of a NOP run, MiB' "$(peak_rss_mib)"
