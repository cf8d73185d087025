/* SPDX-License-Identifier: MIT */
/* Reading the clock, stamps, and what is made of them. Part of worker.h. */
#ifndef RP_CLOCK_H
#define RP_CLOCK_H

#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#define RP_HAVE_TSC	1
#else
#define RP_HAVE_TSC	0
#endif

/* When stamps are taken: a compile-time constant of each hot loop. */
#define RP_STAMP_NEVER		0u
#define RP_STAMP_ROUND		1u	/* of either clock */
#define RP_STAMP_EACH		2u	/* of CLOCK_MONOTONIC */
#define RP_STAMP_EACH_TSC	3u

RP_HOT uint64_t rp_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/*
 * The time-stamp counter. Nothing orders it against the instructions around
 * it: it is off by the tens of nanoseconds that the CPU looks ahead.
 */
RP_HOT uint64_t rp_ticks(void)
{
#if RP_HAVE_TSC
	return __rdtsc();
#else
	return 0;
#endif
}

/* What it says in ns; no product overflows. */
RP_HOT uint64_t rp_ticks_to_ns(const struct rp_clock *clock, const uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * clock->mult) >> RP_CLOCK_SHIFT);
}

/* The time of a stamp: ns since the worker was opened. */
RP_HOT uint64_t rp_stamp(const struct rp_worker *w, const bool tsc)
{
	if (tsc)
		return rp_ticks_to_ns(&w->cfg.clock, rp_ticks() - w->epoch_ticks);
	return rp_now_ns() - w->epoch_ns;
}

/* The same by the mode of a loop: no branch where each I/O has a stamp. */
RP_HOT uint64_t rp_stamp_by(const struct rp_worker *w, const uint32_t mode)
{
	if (mode == RP_STAMP_EACH)
		return rp_stamp(w, false);
	return rp_stamp(w, mode == RP_STAMP_EACH_TSC || w->cfg.clock.hz);
}

/* Integrate what is in flight over time, up to now, in ns since the epoch. */
RP_HOT void rp_integrate(struct rp_worker *w, const uint64_t now)
{
	w->window.area += w->in_flight * (now - w->integrated);
	w->integrated = now;
}

/*
 * The same for a batch whose I/Os came or went one by one between two stamps:
 * evenly, so that the middle stands for all of them.
 */
RP_HOT void rp_integrate_between(struct rp_worker *w, const uint64_t from, const uint64_t to)
{
	rp_integrate(w, from + (int64_t)(to - from) / 2);
}

/*
 * Nanoseconds from the stamp in user_data to now, both modulo 2^48. Counters
 * of two CPUs may be a few ticks apart: a little less than nothing comes out
 * as nearly 2^48.
 */
RP_HOT uint64_t rp_since(const uint64_t now, const uint64_t user_data)
{
	/* All ones below the stamp: the slot takes nothing from above. */
	return ((now << RP_SLOT_BITS | RP_SLOT_MASK) - user_data) >> RP_SLOT_BITS;
}

/*
 * Count a latency. HdrHistogram: values below 2^SUB_BITS have a bucket each;
 * above, each power of two is cut into 2^(SUB_BITS - 1). The bucket of one:
 * its power, from the highest bit set, and the bits below it.
 */
RP_HOT void rp_hist_count(struct rp_worker *w, uint64_t *const hist, const uint64_t ns)
{
	uint32_t shift;

	if (unlikely(ns >= RP_HIST_MAX_NS)) {
		if (ns > RP_STAMP_MASK / 2)
			hist[0]++;
		else
			w->window.over++;
		return;
	}
	shift = ((uint32_t)__builtin_clzll(ns | ((1u << RP_HIST_SUB_BITS) - 1)) ^ 63) -
		(RP_HIST_SUB_BITS - 1);
	hist[((uint64_t)shift << (RP_HIST_SUB_BITS - 1)) + (ns >> shift)]++;
}

RP_HOT void rp_hist_add(struct rp_worker *w, const uint64_t ns)
{
	rp_hist_count(w, w->hist, ns);
}

/*
 * The clock for taking rounds apart, in ticks or in ns. Here it matters what
 * was done before it is read and what after.
 */
RP_HOT uint64_t rp_split_now(const struct rp_worker *w)
{
#if RP_HAVE_TSC
	if (w->cfg.clock.hz) {
		uint64_t ticks;

		_mm_lfence();
		ticks = __rdtsc();
		_mm_lfence();
		return ticks;
	}
#endif
	return rp_now_ns();
}

/* From one reading of it to the next; counters of two CPUs may be a few ticks apart. */
RP_HOT uint64_t rp_split_part(const uint64_t from, const uint64_t to)
{
	return to > from ? to - from : 0;
}

/* A round that was taken apart, at four readings of rp_split_now(). */
RP_HOT void rp_split_add(struct rp_worker *w, const uint64_t at[4], const uint32_t ios,
			 const bool waiting)
{
	if (w->seen_phase != RP_PHASE_MEASURE)
		return;
	w->split.rounds++;
	w->split.waiting += waiting;
	w->split.ios += ios;
	w->split.prepare += rp_split_part(at[0], at[1]);
	w->split.enter += rp_split_part(at[1], at[2]);
	w->split.reap += rp_split_part(at[2], at[3]);
}

#endif
