#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs test programs written in C: ctest.sh PROGRAM...
# Exit status 0 is a pass, 77 a skip (the last line of output is the reason), anything else a failure.
set -u

passed=0 failed=0 skipped=0
for program; do
	name=$(basename "$program")
	timeout "${CTEST_TIMEOUT:-120}" "$program" >"$program.log" 2>&1 </dev/null
	status=$?
	case $status in
	0)
		passed=$((passed + 1))
		printf '  %-7s %s\n' PASS "$name"
		;;
	77)
		skipped=$((skipped + 1))
		printf '  %-7s %s: %s\n' SKIP "$name" "$(tail -n 1 "$program.log")"
		;;
	*)
		failed=$((failed + 1))
		cat "$program.log"
		[ "$status" -eq 124 ] && echo "timed out after ${CTEST_TIMEOUT:-120} s"
		printf '  %-7s %s: exit status %d\n' FAIL "$name" "$status"
		;;
	esac
done
[ $# -eq 0 ] || echo "  C tests: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
