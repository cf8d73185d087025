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

/* One read of the next file in turn. A round is one read. */
static int read_one(struct rp_worker *w)
{
	const int flags = w->cfg.flags & RP_POLLED ? RWF_HIPRI : 0;
	const uint32_t file = w->free_head++ % w->cfg.nr_files;
	struct iovec iov = { w->buffers, w->cfg.block_size };
	uint64_t offset, start = 0;
	ssize_t ret;

	offset = rp_next_offset(&w->random, &w->ranges[file], w->cfg.op);
	/* Counted before the call: a read that never ends is in flight. */
	rp_publish(&w->counters.submitted, w->counters.submitted + 1);
	rp_publish(&w->counters.calls, w->counters.calls + 1);
	__atomic_store_n(&w->file_in_flight[file], 1, __ATOMIC_RELAXED);
	if (w->hist)
		start = rp_now_ns();
	do {
		ret = preadv2(w->fds[file], &iov, 1, (off_t)offset, flags);
	} while (ret < 0 && errno == EINTR && !phase_changed(w));
	if (ret < 0)
		ret = -errno;
	__atomic_store_n(&w->file_in_flight[file], 0, __ATOMIC_RELAXED);
	if (unlikely(ret == -EINTR)) {
		/* Called back to look at the phase: nothing was read. */
		rp_publish(&w->counters.submitted, w->counters.submitted - 1);
		return 0;
	}
	rp_begin_totals(w);
	if (unlikely(ret != (ssize_t)w->cfg.block_size)) {
		rp_account_failure(w, file, (int32_t)ret);
		rp_end_totals(w);
		return w->fatal ? rp_enter_error(w, 0) : 0;
	}
	if (w->hist) {
		start = rp_now_ns() - start;
		rp_hist_add(w, start);
		w->window.area += start;	/* one in flight while it lasts */
	}
	rp_publish(&w->counters.completed, w->counters.completed + 1);
	rp_publish(&w->counters.bytes, w->counters.bytes + (uint64_t)ret);
	rp_end_totals(w);
	return 0;
}

static int sync_batch(struct rp_worker *w, uint32_t rounds)
{
	for (; rounds; rounds--) {
		int ret;

		if (unlikely(phase_changed(w)) && rp_turn(w))
			return 1;
		ret = read_one(w);
		if (ret < 0)
			return ret;
	}
	return 0;
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
	.reap = sync_reap,
	.close = sync_close,
};
