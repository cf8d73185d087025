/* SPDX-License-Identifier: MIT */
/*
 * Legacy Linux AIO behind the same contract: raw io_submit(2) and
 * io_getevents(2), no libaio. Kept for comparison; a round is two system
 * calls, and each I/O takes a free slot, whatever the number of files.
 */
#include <errno.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker.h"

struct rp_aio {
	aio_context_t ctx;
	struct iocb *iocbs;	/* per slot */
	struct iocb **list;	/* of one submission; depth long */
	struct io_event *events; /* depth long */
	uint32_t refused;	/* prepared at the head of the FIFO, not accepted yet */
};

static int sys_ret(long ret)
{
	return ret < 0 ? -errno : (int)ret;
}

/*
 * Prepare the next n free slots in FIFO order, without taking them yet. Those
 * that were refused last time are as they were.
 */
RP_HOT void prepare(struct rp_worker *w, struct rp_aio *aio, uint32_t n,
		    const uint32_t op, const uint32_t mode)
{
	uint64_t from = 0, stamp = 0;

	if (mode != RP_STAMP_NEVER)
		from = stamp = rp_stamp_by(w, mode);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = w->free_slots[(w->free_head + i) & (w->nr_slots - 1)];
		struct iocb *cb = &aio->iocbs[id];

		aio->list[i] = cb;
		if (i < aio->refused)
			continue;
		cb->aio_offset = (int64_t)rp_next_offset(&w->random,
							 &w->ranges[w->slots[id].file],
							 op);
		if (mode >= RP_STAMP_EACH)
			stamp = rp_stamp_by(w, mode);
		cb->aio_data = (stamp << RP_SLOT_BITS) | id;
	}
	if (mode != RP_STAMP_NEVER)
		rp_integrate_between(w, from, stamp);
}

/* The first n prepared slots were accepted. */
RP_HOT void take(struct rp_worker *w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = w->free_slots[w->free_head++ & (w->nr_slots - 1)];

		rp_count(&w->tallies[w->slots[id].file].taken);
	}
	w->in_flight += n;
	rp_publish(&w->counters.submitted, w->counters.submitted + n);
}

/* Hand over the n prepared I/Os. Returns how many were accepted, or an error. */
RP_HOT int submit(struct rp_worker *w, struct rp_aio *aio, const uint32_t n)
{
	const int ret = sys_ret(syscall(SYS_io_submit, aio->ctx, (long)n, aio->list));

	rp_publish(&w->counters.calls, w->counters.calls + 1);
	aio->refused = n - (ret > 0 ? (uint32_t)ret : 0);
	if (ret > 0)
		take(w, (uint32_t)ret);
	return ret;
}

/* Wait for at least `min` events. Returns how many there are, or an error. */
RP_HOT int get_events(struct rp_worker *w, struct rp_aio *aio, const uint32_t min)
{
	const int n = sys_ret(syscall(SYS_io_getevents, aio->ctx, (long)min,
				      (long)w->cfg.depth, aio->events, NULL));

	rp_publish(&w->counters.calls, w->counters.calls + 1);
	return n;
}

/* Account for n events; none, if getting them failed. */
RP_HOT void reap(struct rp_worker *w, struct rp_aio *aio, const int n, const uint32_t mode)
{
	uint64_t good = 0, from = 0, now = 0;

	if (mode != RP_STAMP_NEVER)
		from = now = rp_stamp_by(w, mode);
	rp_begin_totals(w);
	for (int i = 0; i < n; i++) {
		const struct io_event *ev = &aio->events[i];
		const uint32_t id = ev->data & RP_SLOT_MASK;
		struct rp_tally *tally = &w->tallies[w->slots[id].file];

		w->free_slots[w->free_tail++ & (w->nr_slots - 1)] = (uint16_t)id;
		if (mode >= RP_STAMP_EACH)
			now = rp_stamp_by(w, mode);
		if (unlikely(ev->res != (int64_t)w->cfg.block_size)) {
			rp_count(&tally->failed);
			rp_account_failure(w, w->slots[id].file, (int32_t)ev->res);
			continue;
		}
		good++;
		rp_count(&tally->completed);
		if (mode != RP_STAMP_NEVER)
			rp_hist_add(w, rp_since(now, ev->data));
	}
	if (mode != RP_STAMP_NEVER)
		rp_integrate_between(w, from, now);
	if (n > 0)
		w->in_flight -= (uint32_t)n;
	rp_publish(&w->counters.completed, w->counters.completed + good);
	rp_publish(&w->counters.bytes, w->counters.bytes + good * w->cfg.block_size);
	rp_end_totals(w);
}

/* One round. With `at`, it is taken apart there. */
RP_HOT int round_of(struct rp_worker *w, const uint32_t op, const uint32_t mode,
		    uint64_t *at, bool *waiting, int *events)
{
	struct rp_aio *aio = w->priv;
	uint32_t n = w->cfg.depth - w->in_flight;
	int ret = 0;

	if (at)
		at[0] = rp_split_now(w);
	if (n > w->cfg.submit)
		n = w->cfg.submit;
	if (n)
		prepare(w, aio, n, op, mode);
	if (at)
		at[1] = rp_split_now(w);
	if (n)
		ret = submit(w, aio, n);
	*waiting = ret >= 0 && w->in_flight == w->cfg.depth;
	*events = get_events(w, aio, *waiting ? w->cfg.complete : 0);
	if (at)
		at[2] = rp_split_now(w);
	reap(w, aio, *events, mode);
	if (at)
		at[3] = rp_split_now(w);
	if (ret >= 0)
		ret = *events;
	if (unlikely(ret < 0 || w->fatal))
		return rp_enter_error(w, ret);
	return 0;
}

RP_HOT bool turned(struct rp_worker *w)
{
	return unlikely(__atomic_load_n(&w->phase, __ATOMIC_RELAXED) !=
			w->seen_phase) && rp_turn(w);
}

RP_HOT int run(struct rp_worker *w, uint32_t rounds, const uint32_t op,
	       const uint32_t mode)
{
	for (; rounds; rounds--) {
		bool waiting;
		int events, ret;

		if (turned(w))
			return 1;
		ret = round_of(w, op, mode, NULL, &waiting, &events);
		if (ret < 0)
			return ret;
	}
	return 0;
}

RP_RARE static int aio_sample(struct rp_worker *w, bool record)
{
	uint64_t at[4];
	bool waiting;
	int events, ret;

	if (turned(w))
		return 1;
	ret = round_of(w, w->cfg.op, rp_stamp_mode(&w->cfg), at, &waiting, &events);
	if (record)
		rp_split_add(w, at, events > 0 ? (uint32_t)events : 0, waiting);
	return ret;
}

#define FOR_EACH(X)							\
	X(RANDOM, 0) X(RANDOM, 1) X(RANDOM, 2) X(RANDOM, 3)		\
	X(SEQ, 0) X(SEQ, 1) X(SEQ, 2) X(SEQ, 3)

#define DEFINE(op, mode)						\
static int run_##op##_##mode(struct rp_worker *w, uint32_t rounds)	\
{									\
	return run(w, rounds, RP_OP_##op, mode);			\
}
FOR_EACH(DEFINE)

static int (*batch_of(const struct rp_config *cfg))(struct rp_worker *, uint32_t)
{
#define PICK(name, mode)						\
	if (cfg->op == RP_OP_##name && rp_stamp_mode(cfg) == mode)	\
		return run_##name##_##mode;
	FOR_EACH(PICK)
	return NULL;
}

static int aio_reap(struct rp_worker *w)
{
	const int n = get_events(w, w->priv, 0);

	reap(w, w->priv, n, RP_STAMP_NEVER);
	return n == -EINTR ? 0 : n;
}

static void free_aio(struct rp_aio *aio)
{
	free(aio->iocbs);
	free(aio->list);
	free(aio->events);
	free(aio);
}

static void prefill(struct rp_worker *w, struct rp_aio *aio)
{
	for (uint32_t i = 0; i < w->nr_slots; i++) {
		aio->iocbs[i].aio_lio_opcode = IOCB_CMD_PREAD;
		aio->iocbs[i].aio_fildes = (uint32_t)w->slots[i].fd;
		aio->iocbs[i].aio_buf = w->slots[i].addr;
		aio->iocbs[i].aio_nbytes = w->cfg.block_size;
	}
}

static int aio_open(struct rp_worker *w, struct rp_report *report)
{
	struct rp_aio *aio = calloc(1, sizeof(*aio));
	int ret = -ENOMEM;

	if (!aio)
		return ret;
	aio->iocbs = calloc(w->nr_slots, sizeof(*aio->iocbs));
	aio->list = calloc(w->cfg.depth, sizeof(*aio->list));
	aio->events = calloc(w->cfg.depth, sizeof(*aio->events));
	if (!aio->iocbs || !aio->list || !aio->events)
		goto fail;
	report->step = RP_STEP_SETUP;
	ret = sys_ret(syscall(SYS_io_setup, (long)w->cfg.depth, &aio->ctx));
	if (ret < 0)
		goto fail;
	prefill(w, aio);
	w->priv = aio;
	w->batch = batch_of(&w->cfg);
	report->step = RP_STEP_NONE;
	return 0;
fail:
	free_aio(aio);
	return ret;
}

static void aio_close(struct rp_worker *w)
{
	struct rp_aio *aio = w->priv;

	syscall(SYS_io_destroy, aio->ctx);
	free_aio(aio);
}

const struct rp_engine rp_aio_engine = {
	.open = aio_open,
	.sample = aio_sample,
	.reap = aio_reap,
	.close = aio_close,
};
