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
		    const uint32_t op, const bool timed)
{
	const uint64_t stamp = timed ? rp_begin_round(w) : 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = w->free_slots[(w->free_head + i) & (w->nr_slots - 1)];
		struct iocb *cb = &aio->iocbs[id];

		aio->list[i] = cb;
		if (i < aio->refused)
			continue;
		cb->aio_offset = (int64_t)rp_next_offset(&w->random,
							 &w->ranges[w->slots[id].file],
							 op);
		cb->aio_data = stamp | id;
	}
}

/* The first n prepared slots were accepted. */
RP_HOT void take(struct rp_worker *w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = w->free_slots[w->free_head++ & (w->nr_slots - 1)];
		uint32_t *in_flight = &w->file_in_flight[w->slots[id].file];

		__atomic_store_n(in_flight, *in_flight + 1, __ATOMIC_RELAXED);
	}
	w->in_flight += n;
	rp_publish(&w->counters.submitted, w->counters.submitted + n);
}

/* Reap at least `min` events, or none after an error. Returns how many. */
RP_HOT int reap(struct rp_worker *w, uint32_t min, const bool timed)
{
	struct rp_aio *aio = w->priv;
	uint64_t good = 0, now = 0;
	int n;

	n = sys_ret(syscall(SYS_io_getevents, aio->ctx, (long)min,
			    (long)w->cfg.depth, aio->events, NULL));
	rp_publish(&w->counters.calls, w->counters.calls + 1);
	if (timed) {
		now = rp_now_ns() - w->epoch_ns;
		rp_integrate(w, now);
	}
	rp_begin_totals(w);
	for (int i = 0; i < n; i++) {
		const struct io_event *ev = &aio->events[i];
		uint32_t id = ev->data & RP_SLOT_MASK;
		uint32_t *in_flight = &w->file_in_flight[w->slots[id].file];

		w->free_slots[w->free_tail++ & (w->nr_slots - 1)] = (uint16_t)id;
		__atomic_store_n(in_flight, *in_flight - 1, __ATOMIC_RELAXED);
		if (unlikely(ev->res != (int64_t)w->cfg.block_size)) {
			rp_account_failure(w, w->slots[id].file, (int32_t)ev->res);
			continue;
		}
		good++;
		if (timed)
			rp_hist_add(w, rp_since(now, ev->data));
	}
	if (n > 0)
		w->in_flight -= (uint32_t)n;
	rp_publish(&w->counters.completed, w->counters.completed + good);
	rp_publish(&w->counters.bytes, w->counters.bytes + good * w->cfg.block_size);
	rp_end_totals(w);
	return n;
}

RP_HOT int run(struct rp_worker *w, uint32_t rounds, const uint32_t op,
	       const bool timed)
{
	struct rp_aio *aio = w->priv;

	for (; rounds; rounds--) {
		uint32_t n;
		int ret = 0;

		if (unlikely(__atomic_load_n(&w->phase, __ATOMIC_RELAXED) !=
			     w->seen_phase) && rp_turn(w))
			return 1;
		n = w->cfg.depth - w->in_flight;
		if (n > w->cfg.submit)
			n = w->cfg.submit;
		if (n) {
			prepare(w, aio, n, op, timed);
			ret = sys_ret(syscall(SYS_io_submit, aio->ctx, (long)n, aio->list));
			rp_publish(&w->counters.calls, w->counters.calls + 1);
			aio->refused = n - (ret > 0 ? (uint32_t)ret : 0);
			if (ret > 0)
				take(w, (uint32_t)ret);
		}
		if (ret >= 0)
			ret = reap(w, w->in_flight == w->cfg.depth ? w->cfg.complete : 0,
				   timed);
		else
			reap(w, 0, timed);
		if (unlikely(ret < 0 || w->fatal)) {
			ret = rp_enter_error(w, ret);
			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

static int run_random(struct rp_worker *w, uint32_t rounds)
{
	return run(w, rounds, RP_OP_RANDOM, false);
}

static int run_random_timed(struct rp_worker *w, uint32_t rounds)
{
	return run(w, rounds, RP_OP_RANDOM, true);
}

static int run_seq(struct rp_worker *w, uint32_t rounds)
{
	return run(w, rounds, RP_OP_SEQ, false);
}

static int run_seq_timed(struct rp_worker *w, uint32_t rounds)
{
	return run(w, rounds, RP_OP_SEQ, true);
}

static int aio_reap(struct rp_worker *w)
{
	int ret = reap(w, 0, false);

	return ret == -EINTR ? 0 : ret;
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
	const bool timed = w->cfg.flags & RP_TIMED;
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
	if (w->cfg.op == RP_OP_RANDOM)
		w->batch = timed ? run_random_timed : run_random;
	else
		w->batch = timed ? run_seq_timed : run_seq;
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
	.reap = aio_reap,
	.close = aio_close,
};
