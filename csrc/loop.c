/* SPDX-License-Identifier: MIT */
/*
 * The io_uring loop: prepare, enter, reap, publish; once per round, as many
 * rounds as the caller asked for in one call.
 *
 * run() is a template. What the configuration decides (operation, one file or
 * several, latency or not, SQPOLL or not) is a compile-time constant in each
 * of its instances, and rp_uring_batch() picks one at open; no branch on
 * configuration is left inside.
 *
 * prepare.h holds the first part of a round.
 */
#include <errno.h>

#include "prepare.h"
#include "worker.h"

/* Look this often at an empty CQ beside an SQ thread before sleeping. */
#define RP_SQPOLL_SPINS	4096

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

/* Return the slots of n CQEs from head, and count them off their files. */
RP_HOT void release_slots(struct rp_worker *w, uint32_t head, const uint32_t n,
			  const bool cmd)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t id = cqe_at(w, head++, cmd)->user_data & RP_SLOT_MASK;
		uint32_t *in_flight = &w->file_in_flight[w->slots[id].file];

		w->free_slots[w->free_tail++ & (w->nr_slots - 1)] = (uint16_t)id;
		__atomic_store_n(in_flight, *in_flight - 1, __ATOMIC_RELAXED);
	}
}

/* Record the latency of the successful ones of n CQEs from head. */
RP_HOT void record(struct rp_worker *w, uint32_t head, const uint32_t n,
		   const int32_t expected, const bool cmd)
{
	const uint64_t now = rp_now_ns() - w->epoch_ns;

	rp_integrate(w, now);
	for (uint32_t i = 0; i < n; i++) {
		const struct io_uring_cqe *cqe = cqe_at(w, head++, cmd);

		if (likely(cqe->res == expected))
			rp_hist_add(w, rp_since(now, cqe->user_data));
	}
}

/* Some of n CQEs from head failed: count which. Returns how many. */
RP_COLD static uint32_t count_failures(struct rp_worker *w, uint32_t head,
				       uint32_t n, int32_t expected, bool cmd)
{
	uint32_t failed = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct io_uring_cqe *cqe = cqe_at(w, head++, cmd);
		uint32_t id = cqe->user_data & RP_SLOT_MASK;

		if (cqe->res == expected)
			continue;
		rp_account_failure(w, w->cfg.nr_files > 1 ? w->slots[id].file : 0,
				   cqe->res);
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
		     const bool timed, const bool cmd)
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
	if (timed)
		record(w, head, n, expected, cmd);
	if (many)
		release_slots(w, head, n, cmd);
	rp_begin_totals(w);
	if (unlikely(n && (any != expected || (!zero && all != expected))))
		failed = count_failures(w, head, n, expected, cmd);
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

/*
 * Beside an SQ thread. The tail is already published; the thread may have
 * gone to sleep before it could see it, which only a full barrier between the
 * two can tell (io_uring_setup(2), IORING_SETUP_SQPOLL). Then wait for
 * completions in user space first, looking for a sleeping thread each time.
 */
static int enter_sqpoll(struct rp_worker *w, uint32_t wait)
{
	const struct io_uring_cq *cq = &w->ring.cq;
	uint32_t flags, spins = 0;
	int ret;

	for (;;) {
		bool asleep, full;

		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		asleep = IO_URING_READ_ONCE(*w->ring.sq.kflags) & IORING_SQ_NEED_WAKEUP;
		full = io_uring_smp_load_acquire(cq->ktail) - w->cq_head >= wait;
		if (full && !asleep)
			return 0;
		if (!asleep && ++spins < RP_SQPOLL_SPINS) {
			rp_relax();
			continue;
		}
		flags = w->enter_flags & ~(uint32_t)IORING_ENTER_GETEVENTS;
		if (asleep)
			flags |= IORING_ENTER_SQ_WAKEUP;
		if (!full)
			flags |= IORING_ENTER_GETEVENTS;
		ret = io_uring_enter(w->enter_fd, 0, full ? 0 : wait, flags, NULL);
		rp_publish(&w->counters.calls, w->counters.calls + 1);
		return ret < 0 ? ret : 0;
	}
}

/*
 * Hand n new SQEs to the kernel, with those it left behind last time, and
 * wait for completions only when there is no room to submit more instead. A
 * call that does not wait leaves out looking for events, which costs about 130
 * instructions in the kernel, unless the ring is polled or something is left
 * over: completions are then the next waiting call's.
 * Returns 0 or a negative errno. What is handed over counts as in flight from
 * before the call, which may sleep; what was refused is taken back.
 */
RP_HOT int enter(struct rp_worker *w, const uint32_t n, const bool sqpoll)
{
	struct io_uring_sq *sq = &w->ring.sq;
	const uint32_t submit = w->prepared + n;
	uint32_t wait = 0, flags = w->enter_flags;
	int ret;

	w->in_flight += submit;
	if (w->in_flight == w->cfg.depth) {
		wait = w->cfg.complete;
		flags |= IORING_ENTER_GETEVENTS;
	}
	rp_publish(&w->counters.submitted, w->counters.submitted + submit);
	w->sq_tail += n;
	if (sqpoll) {
		/* The SQ thread reads the SQEs once it sees the tail. */
		io_uring_smp_store_release(sq->ktail, w->sq_tail);
		return enter_sqpoll(w, wait);
	}
	/* Read by this thread itself, inside the call: no barrier. */
	IO_URING_WRITE_ONCE(*sq->ktail, w->sq_tail);
	if (unlikely(w->prepared))
		flags |= IORING_ENTER_GETEVENTS;
	ret = io_uring_enter(w->enter_fd, submit, wait, flags, NULL);
	rp_publish(&w->counters.calls, w->counters.calls + 1);
	if (likely(ret == (int)submit)) {
		w->prepared = 0;
		return 0;
	}
	w->prepared = submit - (ret > 0 ? (uint32_t)ret : 0);
	w->in_flight -= w->prepared;
	rp_publish(&w->counters.submitted, w->counters.submitted - w->prepared);
	return ret < 0 ? ret : 0;
}

RP_HOT int run(struct rp_worker *w, uint32_t rounds, const uint32_t op,
	       const bool many, const bool timed, const bool sqpoll,
	       const bool cmd)
{
	for (; rounds; rounds--) {
		uint32_t n;
		int ret;

		if (unlikely(__atomic_load_n(&w->phase, __ATOMIC_RELAXED) !=
			     w->seen_phase) && rp_turn(w))
			return 1;
		n = w->cfg.depth - w->in_flight - w->prepared;
		if (n > w->cfg.submit)
			n = w->cfg.submit;
		prepare(w, w->sq_tail, n, op, many, timed, cmd);
		ret = enter(w, n, sqpoll);
		reap(w, op, many, timed, cmd);
		if (unlikely(ret < 0 || w->fatal)) {
			ret = rp_enter_error(w, ret);
			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

/* The instances of the template: operation, many files, command, timed, SQPOLL. */
#define FOR_EACH_MODE(X, op, many, cmd)					\
	X(op, many, cmd, 0, 0) X(op, many, cmd, 0, 1)			\
	X(op, many, cmd, 1, 0) X(op, many, cmd, 1, 1)
#define FOR_EACH_READ(X, op)						\
	FOR_EACH_MODE(X, op, 0, 0) FOR_EACH_MODE(X, op, 1, 0)		\
	FOR_EACH_MODE(X, op, 0, 1) FOR_EACH_MODE(X, op, 1, 1)
#define FOR_EACH(X)							\
	FOR_EACH_MODE(X, NOP, 0, 0)					\
	FOR_EACH_READ(X, RANDOM) FOR_EACH_READ(X, SEQ)

#define DEFINE(op, many, cmd, timed, sqpoll)				\
static int run_##op##_##many##cmd##timed##sqpoll(struct rp_worker *w,	\
						 uint32_t rounds)	\
{									\
	return run(w, rounds, RP_OP_##op, many, timed, sqpoll, cmd);	\
}
FOR_EACH(DEFINE)

int (*rp_uring_batch(const struct rp_config *cfg))(struct rp_worker *, uint32_t)
{
	const bool is_many = cfg->nr_files > 1;
	const bool is_cmd = cfg->flags & RP_PASSTHROUGH;
	const bool is_timed = cfg->flags & RP_TIMED;
	const bool is_sqpoll = cfg->setup_flags & IORING_SETUP_SQPOLL;

#define PICK(name, many, cmd, timed, sqpoll)				\
	if (cfg->op == RP_OP_##name && is_many == (bool)many &&		\
	    is_cmd == (bool)cmd && is_timed == (bool)timed &&		\
	    is_sqpoll == (bool)sqpoll)					\
		return run_##name##_##many##cmd##timed##sqpoll;
	FOR_EACH(PICK)
	return NULL;
}

int rp_uring_reap(struct rp_worker *w)
{
	uint32_t flags = w->enter_flags | IORING_ENTER_GETEVENTS;
	int ret;

	if (IO_URING_READ_ONCE(*w->ring.sq.kflags) & IORING_SQ_NEED_WAKEUP)
		flags |= IORING_ENTER_SQ_WAKEUP;
	/* GETEVENTS without a minimum polls once, and runs task work. */
	ret = io_uring_enter(w->enter_fd, 0, 0, flags, NULL);
	if (ret < 0 && ret != -EINTR && ret != -EAGAIN && ret != -EBUSY)
		return ret;
	if (w->cfg.op == RP_OP_NOP)
		return (int)reap(w, RP_OP_NOP, false, false, false);
	if (w->cfg.flags & RP_PASSTHROUGH)
		return (int)reap(w, RP_OP_RANDOM, w->cfg.nr_files > 1, false, true);
	return (int)reap(w, RP_OP_RANDOM, w->cfg.nr_files > 1, false, false);
}
