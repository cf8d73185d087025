/* SPDX-License-Identifier: MIT */
/*
 * The loop without Go: opens one worker for NOPs and calls rp_batch() until
 * the time is up. `make bench` compares ringpeak against it: Go's share.
 *
 * bench_c SECONDS DEPTH SUBMIT ROUNDS; prints completions per second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <liburing.h>

#include "../ringpeak.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct rp_config cfg = { .op = RP_OP_NOP, .flags = RP_FIXED_RING,
				 .buffer_fd = -1 };
	struct rp_report report;
	struct rp_worker *w;
	uint32_t features, rounds;
	double start, end, seconds;
	uint64_t before;
	int ret;

	if (argc != 5)
		return 2;
	seconds = atof(argv[1]);
	cfg.depth = (uint32_t)atoi(argv[2]);
	cfg.submit = cfg.complete = (uint32_t)atoi(argv[3]);
	rounds = (uint32_t)atoi(argv[4]);
	ret = rp_probe_setup(0, IORING_SETUP_NO_SQARRAY | IORING_SETUP_DEFER_TASKRUN |
			     IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN |
			     IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE,
			     &cfg.setup_flags, &features);
	if (!ret)
		ret = rp_open(&cfg, NULL, &report, &w);
	if (ret) {
		fprintf(stderr, "bench_c: %d\n", ret);
		return 4;
	}
	rp_batch(w, 1000);
	before = rp_counters(w)->completed;
	start = now();
	do {
		ret = rp_batch(w, rounds);
		end = now();
	} while (!ret && end - start < seconds);
	printf("%.0f\n", (double)(rp_counters(w)->completed - before) / (end - start));
	ret = rp_drain(w, UINT64_MAX);
	rp_close(w);
	return ret ? 1 : 0;
}
