/* SPDX-License-Identifier: MIT */
/* Taking one round in many apart, between the rounds of the hot loop. */
#include "worker.h"

#define READS	16u	/* readings of the clock on end, to know what one takes */
#define TRIES	16u	/* of that; the quickest counts */

/*
 * Rounds until the next one is taken apart: at random, for batches and depth
 * give the rounds a period of their own.
 */
static uint32_t next_sample(struct rp_worker *w)
{
	return RP_SPLIT_EVERY / 2 - 2 +
	       (uint32_t)(rp_random(&w->split_random) % (RP_SPLIT_EVERY + 1));
}

/* What reading the clock takes, and the first round to be taken apart. */
void rp_split_open(struct rp_worker *w)
{
	w->split_random = w->cfg.seed;
	w->unsampled = next_sample(w);
	w->split_reads = UINT64_MAX;
	for (uint32_t i = 0; i < TRIES; i++) {
		const uint64_t begin = rp_split_now(w);
		uint64_t end = begin;

		for (uint32_t j = 0; j < READS; j++)
			end = rp_split_now(w);
		if (end - begin < w->split_reads)
			w->split_reads = end - begin;
	}
}

/*
 * The hot loop, and once in a while two rounds of another one that takes them
 * apart: the first brings its code into the caches, the second is recorded.
 */
int rp_batch(struct rp_worker *w, uint32_t rounds)
{
	while (unlikely(rounds > w->unsampled)) {
		const uint32_t before = w->unsampled;
		int ret = w->batch(w, before);

		if (ret)
			return ret;
		rounds -= before + 1;
		w->unsampled = w->warmed ? next_sample(w) : 0;
		w->warmed = !w->warmed;
		ret = w->engine->sample(w, !w->warmed);
		if (ret)
			return ret;
	}
	w->unsampled -= rounds;
	return w->batch(w, rounds);
}

/* A sum of parts in ns, without the reading of the clock that is in each. */
static uint64_t net_ns(const struct rp_worker *w, uint64_t sum)
{
	const uint64_t reads = w->split.rounds * w->split_reads / READS;

	sum = sum > reads ? sum - reads : 0;
	return w->cfg.clock.hz ? rp_ticks_to_ns(&w->cfg.clock, sum) : sum;
}

void rp_get_split(const struct rp_worker *w, struct rp_split *split)
{
	const uint64_t read = w->split_reads * 1000 / READS;

	*split = (struct rp_split){
		.rounds = w->split.rounds,
		.waiting = w->split.waiting,
		.ios = w->split.ios,
		.prepare_ns = net_ns(w, w->split.prepare),
		.enter_ns = net_ns(w, w->split.enter),
		.reap_ns = net_ns(w, w->split.reap),
		.read_ps = w->cfg.clock.hz ? rp_ticks_to_ns(&w->cfg.clock, read) : read,
	};
}
