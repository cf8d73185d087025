/* SPDX-License-Identifier: MIT */
/* Reaping a round's CQEs; inlined into each instance of the loop. */
#ifndef RP_REAP_H
#define RP_REAP_H

#include "prepare.h"
#include "worker.h"

/*
 * Accumulate the results of CQEs [cqe, end). All of them equal x exactly when
 * both their OR and their AND do; that is one instruction each, no branch.
 */
RP_HOT void gather(const struct io_uring_cqe *cqe, const struct io_uring_cqe *end,
		   int32_t *any, int32_t *all, const bool zero, const bool cmd)
{
	int32_t or = *any, and = *all;

#pragma GCC unroll 8
	for (; cqe < end; cqe += STEP(cmd)) {
		or |= cqe->res;
		if (!zero)	/* where 0 is expected, OR alone tells */
			and &= cqe->res;
	}
	*any = or;
	*all = and;
}

RP_HOT const struct io_uring_cqe *cqe_at(const struct rp_worker *w,
					 const uint32_t head, const bool cmd)
{
	return &w->ring.cq.cqes[(size_t)(head & w->ring.cq.ring_mask) * STEP(cmd)];
}

RP_HOT void release_slot(struct rp_worker *w, const uint32_t id)
{
	w->free_slots[w->free_tail++ & (w->nr_slots - 1)] = (uint16_t)id;
}

/* Return the slots of n CQEs from head, all of them successes of their files. */
RP_HOT void release_slots(struct rp_worker *w, uint32_t head, const uint32_t n,
			  const bool cmd)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t id = cqe_at(w, head++, cmd)->user_data & RP_SLOT_MASK;

		release_slot(w, id);
		rp_count(&w->tallies[w->slots[id].file].completed);
	}
}

/*
 * Record the latency of the successful ones of CQEs [cqe, end), of which there
 * is at least one. Takes the time of the first, returns that of the last.
 */
RP_HOT uint64_t record_run(struct rp_worker *w, const struct io_uring_cqe *cqe,
			   const struct io_uring_cqe *end, uint64_t now,
			   const int32_t expected, const uint32_t mode, const bool cmd)
{
	uint64_t *const hist = w->hist;

	for (;;) {
		if (likely(cqe->res == expected))
			rp_hist_count(w, hist, rp_since(now, cqe->user_data));
		cqe += STEP(cmd);
		if (cqe == end)
			break;
		if (mode >= RP_STAMP_EACH)
			now = rp_stamp_by(w, mode);
	}
	return now;
}

/* The same for n CQEs, the first `fit` of them from `first` on, the rest at the start of the ring. */
RP_HOT void record(struct rp_worker *w, const struct io_uring_cqe *first, const uint32_t fit,
		   const uint32_t n, const int32_t expected, const uint32_t mode,
		   const bool cmd)
{
	const struct io_uring_cqe *const cqes = w->ring.cq.cqes;
	const uint64_t from = rp_stamp_by(w, mode);
	uint64_t to;

	to = record_run(w, first, first + (size_t)fit * STEP(cmd), from, expected, mode, cmd);
	if (fit < n) {
		if (mode >= RP_STAMP_EACH)
			to = rp_stamp_by(w, mode);
		to = record_run(w, cqes, cqes + (size_t)(n - fit) * STEP(cmd), to, expected,
				mode, cmd);
	}
	rp_integrate_between(w, from, to);
}

/* Some of n CQEs from head failed: count which, and return their slots. */
RP_COLD static uint32_t count_failures(struct rp_worker *w, uint32_t head,
				       uint32_t n, int32_t expected, bool cmd)
{
	const bool many = w->cfg.nr_files > 1;
	uint32_t failed = 0;

	for (uint32_t i = 0; i < n; i++, head++) {
		const struct io_uring_cqe *cqe = cqe_at(w, head, cmd);
		const uint32_t id = cqe->user_data & RP_SLOT_MASK;
		const bool good = cqe->res == expected;

		if (many) {
			struct rp_tally *tally = &w->tallies[w->slots[id].file];

			release_slot(w, id);
			rp_count(good ? &tally->completed : &tally->failed);
		}
		if (good)
			continue;
		rp_account_failure(w, many ? w->slots[id].file : 0, cqe->res);
		failed++;
	}
	return failed;
}

/*
 * Reap all that is there and publish the head once. Returns how many CQEs
 * that were; counts the successful ones. A read's result is its length, that
 * of a NOP and of an NVMe command 0.
 */
RP_HOT uint32_t reap(struct rp_worker *w, const uint32_t op, const bool many,
		     const uint32_t mode, const bool cmd)
{
	struct io_uring_cq *cq = &w->ring.cq;
	const bool zero = op == RP_OP_NOP || cmd;
	const int32_t expected = zero ? 0 : (int32_t)w->cfg.block_size;
	const uint32_t head = w->cq_head;
	const struct io_uring_cqe *first = cqe_at(w, head, cmd);
	uint32_t n, fit, failed = 0;
	int32_t any = 0, all = -1;

	/* Pairs with the kernel's release of the tail: it wrote the CQEs first. */
	n = io_uring_smp_load_acquire(cq->ktail) - head;
	fit = cq->ring_entries - (head & cq->ring_mask);
	if (fit > n)
		fit = n;
	gather(first, first + (size_t)fit * STEP(cmd), &any, &all, zero, cmd);
	gather(cq->cqes, cq->cqes + (size_t)(n - fit) * STEP(cmd), &any, &all, zero, cmd);
	if (mode != RP_STAMP_NEVER && n)
		record(w, first, fit, n, expected, mode, cmd);
	rp_begin_totals(w);
	if (unlikely(n && (any != expected || (!zero && all != expected))))
		failed = count_failures(w, head, n, expected, cmd);
	else if (many)
		release_slots(w, head, n, cmd);
	/* The kernel may reuse the CQEs once it sees the new head. */
	io_uring_smp_store_release(cq->khead, head + n);
	w->cq_head = head + n;
	w->in_flight -= n;

	rp_publish(&w->counters.completed, w->counters.completed + n - failed);
	if (op != RP_OP_NOP)
		rp_publish(&w->counters.bytes, w->counters.bytes +
			   (uint64_t)(n - failed) * w->cfg.block_size);
	rp_end_totals(w);
	return n;
}

#endif
