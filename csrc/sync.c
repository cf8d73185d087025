/* SPDX-License-Identifier: MIT */
/* One preadv2(2) at a time behind the same contract; kept for comparison. */
#include <errno.h>
#include <sys/uio.h>

#include "worker.h"

/* The phase is not the one that the loop acted on last. */
static bool phase_changed(const struct rp_worker *w)
{
	return __atomic_load_n(&w->phase, __ATOMIC_RELAXED) != w->seen_phase;
}

/* One read of the next file in turn. A round is one read. With `at`, it is taken apart there. */
RP_HOT int read_one(struct rp_worker *w, uint64_t *at)
{
	const int flags = w->cfg.flags & RP_POLLED ? RWF_HIPRI : 0;
	const bool tsc = w->cfg.clock.hz;
	struct iovec iov = { w->buffers, w->cfg.block_size };
	uint64_t offset, start = 0;
	struct rp_tally *tally;
	uint32_t file;
	ssize_t ret;

	if (at)
		at[0] = rp_split_now(w);
	file = w->free_head++ % w->cfg.nr_files;
	tally = &w->tallies[file];
	offset = rp_next_offset(&w->random, &w->ranges[file], w->cfg.op);
	/* Counted before the call: a read that never ends is in flight. */
	rp_publish(&w->counters.submitted, w->counters.submitted + 1);
	rp_publish(&w->counters.calls, w->counters.calls + 1);
	rp_count(&tally->taken);
	if (at)
		at[1] = rp_split_now(w);
	if (w->hist)
		start = rp_stamp(w, tsc);
	do {
		ret = preadv2(w->fds[file], &iov, 1, (off_t)offset, flags);
	} while (ret < 0 && errno == EINTR && !phase_changed(w));
	if (ret < 0)
		ret = -errno;
	if (w->hist)
		start = rp_stamp(w, tsc) - start;
	if (at)
		at[2] = rp_split_now(w);
	if (unlikely(ret == -EINTR)) {
		/* Called back to look at the phase: nothing was read. */
		rp_publish(&w->counters.submitted, w->counters.submitted - 1);
		rp_publish(&tally->taken, tally->taken - 1);
		return 0;
	}
	rp_begin_totals(w);
	if (unlikely(ret != (ssize_t)w->cfg.block_size)) {
		rp_count(&tally->failed);
		rp_account_failure(w, file, (int32_t)ret);
		rp_end_totals(w);
		return w->fatal ? rp_enter_error(w, 0) : 0;
	}
	if (w->hist) {
		rp_hist_add(w, start & RP_STAMP_MASK);
		w->window.area += start;	/* one in flight while it lasts */
	}
	rp_count(&tally->completed);
	rp_publish(&w->counters.completed, w->counters.completed + 1);
	rp_publish(&w->counters.bytes, w->counters.bytes + (uint64_t)ret);
	rp_end_totals(w);
	if (at)
		at[3] = rp_split_now(w);
	return 0;
}

static int sync_batch(struct rp_worker *w, uint32_t rounds)
{
	for (; rounds; rounds--) {
		int ret;

		if (unlikely(phase_changed(w)) && rp_turn(w))
			return 1;
		ret = read_one(w, NULL);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Only a read that succeeded is recorded. */
RP_RARE static int sync_sample(struct rp_worker *w, bool record)
{
	uint64_t at[4] = { 0 };
	int ret;

	if (unlikely(phase_changed(w)) && rp_turn(w))
		return 1;
	ret = read_one(w, at);
	if (record && at[3])
		rp_split_add(w, at, 1, true);
	return ret;
}

static int sync_open(struct rp_worker *w, struct rp_report *report)
{
	w->batch = sync_batch;
	report->step = RP_STEP_NONE;
	return 0;
}

static int sync_reap(struct rp_worker *w)
{
	(void)w;
	return 0;
}

static void sync_close(struct rp_worker *w)
{
	(void)w;
}

const struct rp_engine rp_sync_engine = {
	.open = sync_open,
	.sample = sync_sample,
	.reap = sync_reap,
	.close = sync_close,
};
