/* SPDX-License-Identifier: MIT */
/* Calibrating the time-stamp counter, and what is read of the clocks rarely. */
#include <errno.h>
#include <sys/prctl.h>

#include "worker.h"

#define POINTS	5u	/* of a calibration, evenly spread over its length */
#define READS	16u	/* of the pair at each; the least disturbed one counts */
#define ATTEMPTS 3u

/* Stretches between two points may differ by one in this many. */
#define UNEVEN	1000u

/* One moment by both clocks. */
struct moment {
	uint64_t ns;	/* CLOCK_MONOTONIC */
	uint64_t ticks;
};

/*
 * The counter between two readings of CLOCK_MONOTONIC, which was then half way
 * between them, give or take; the closest of some.
 */
static struct moment read_both(uint32_t reads)
{
	struct moment best = { 0 };
	uint64_t width = UINT64_MAX;

	while (reads--) {
		const uint64_t before = rp_now_ns();
		const uint64_t ticks = rp_ticks();
		const uint64_t after = rp_now_ns();

		if (after - before < width) {
			width = after - before;
			best = (struct moment){ before + width / 2, ticks };
		}
	}
	return best;
}

static uint64_t ticks_per_second(const struct moment *a, const struct moment *b)
{
	if (b->ns <= a->ns || b->ticks <= a->ticks)
		return 0;
	return (uint64_t)((unsigned __int128)(b->ticks - a->ticks) * 1000000000u /
			  (b->ns - a->ns));
}

/* One attempt; false when the counter ran unevenly, or not at all. */
static bool calibrate_once(uint64_t length_ns, struct rp_clock *clock)
{
	const struct timespec pause = {
		.tv_sec = (time_t)(length_ns / (POINTS - 1) / 1000000000u),
		.tv_nsec = (long)(length_ns / (POINTS - 1) % 1000000000u),
	};
	struct moment at[POINTS];
	uint64_t hz;

	for (uint32_t i = 0; i < POINTS; i++) {
		if (i)
			nanosleep(&pause, NULL);
		at[i] = read_both(READS);
	}
	hz = ticks_per_second(&at[0], &at[POINTS - 1]);
	if (!hz)
		return false;
	for (uint32_t i = 1; i < POINTS; i++) {
		const uint64_t part = ticks_per_second(&at[i - 1], &at[i]);

		if ((part > hz ? part - hz : hz - part) > hz / UNEVEN)
			return false;
	}
	clock->hz = hz;
	clock->mult = (uint64_t)(((unsigned __int128)(at[POINTS - 1].ns - at[0].ns) << RP_CLOCK_SHIFT) /
				 (at[POINTS - 1].ticks - at[0].ticks));
	return true;
}

int rp_calibrate(uint64_t length_ns, struct rp_clock *clock)
{
#if RP_HAVE_TSC
	int may = PR_TSC_ENABLE;

	*clock = (struct rp_clock){ 0 };
	if (!prctl(PR_GET_TSC, &may) && may == PR_TSC_SIGSEGV)
		return -EACCES;
	for (uint32_t i = 0; i < ATTEMPTS; i++)
		if (calibrate_once(length_ns, clock))
			return 0;
	return -ERANGE;
#else
	(void)length_ns;
	(void)calibrate_once;
	*clock = (struct rp_clock){ 0 };
	return -EOPNOTSUPP;
#endif
}

/* Now, by CLOCK_MONOTONIC, and as a stamp. */
void rp_moment(const struct rp_worker *w, uint64_t *ns, uint64_t *stamp)
{
	if (w->cfg.clock.hz) {
		const struct moment now = read_both(READS);

		*ns = now.ns;
		*stamp = rp_ticks_to_ns(&w->cfg.clock, now.ticks - w->epoch_ticks);
	} else {
		*ns = rp_now_ns();
		*stamp = *ns - w->epoch_ns;
	}
}

/* Set the epoch of the stamps. */
void rp_clock_open(struct rp_worker *w)
{
	const struct moment now = read_both(READS);

	w->epoch_ns = now.ns;
	w->epoch_ticks = now.ticks;
}
