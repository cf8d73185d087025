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
 * prepare.h holds the first part of a round, reap.h the last.
 */
#include <errno.h>

#include "prepare.h"
#include "reap.h"
#include "worker.h"

/* Look this often at an empty CQ beside an SQ thread before sleeping. */
#define RP_SQPOLL_SPINS	4096

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
 * wait for completions only when there is no room to submit more instead.
 * Looking for events costs about 130 instructions in the kernel, and is left
 * out of a call that does not wait, when the ring is not polled and nothing was
 * in flight before: what completes at once shows without it. With something in
 * flight the next waiting call would not do: beside a file that completes at
 * once there may be none, and only a look makes the kernel post the completions
 * of the others (DEFER_TASKRUN).
 * Returns 0 or a negative errno. What is handed over counts as in flight from
 * before the call, which may sleep; what was refused is taken back.
 */
RP_HOT int enter(struct rp_worker *w, const uint32_t n, const bool sqpoll)
{
	struct io_uring_sq *sq = &w->ring.sq;
	const uint32_t submit = w->prepared + n;
	uint32_t wait = 0, flags = w->enter_flags;
	int ret;

	if (w->in_flight)
		flags |= IORING_ENTER_GETEVENTS;
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

/* How many SQEs the next round prepares. */
RP_HOT uint32_t room(const struct rp_worker *w)
{
	const uint32_t n = w->cfg.depth - w->in_flight - w->prepared;

	return n > w->cfg.submit ? w->cfg.submit : n;
}

/* The phase may have changed: true when the loop must end. */
RP_HOT bool turned(struct rp_worker *w)
{
	return unlikely(__atomic_load_n(&w->phase, __ATOMIC_RELAXED) !=
			w->seen_phase) && rp_turn(w);
}

RP_HOT int run(struct rp_worker *w, uint32_t rounds, const uint32_t op,
	       const bool many, const uint32_t mode, const bool sqpoll,
	       const bool cmd)
{
	for (; rounds; rounds--) {
		uint32_t n;
		int ret;

		if (turned(w))
			return 1;
		n = room(w);
		prepare(w, w->sq_tail, n, op, many, mode, cmd);
		ret = enter(w, n, sqpoll);
		reap(w, op, many, mode, cmd);
		if (unlikely(ret < 0 || w->fatal)) {
			ret = rp_enter_error(w, ret);
			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

RP_HOT bool is_sqpoll(const struct rp_config *cfg)
{
	return cfg->setup_flags & IORING_SETUP_SQPOLL;
}

/*
 * One round with the clock read between its parts; one instance for all
 * configurations, which look at theirs as they go.
 */
RP_RARE int rp_uring_sample(struct rp_worker *w, bool record)
{
	const uint32_t op = w->cfg.op, mode = rp_stamp_mode(&w->cfg);
	const bool many = w->cfg.nr_files > 1, cmd = w->cfg.flags & RP_PASSTHROUGH;
	uint32_t n, reaped;
	uint64_t at[4];
	bool waiting;
	int ret;

	if (turned(w))
		return 1;
	at[0] = rp_split_now(w);
	n = room(w);
	prepare(w, w->sq_tail, n, op, many, mode, cmd);
	at[1] = rp_split_now(w);
	ret = enter(w, n, is_sqpoll(&w->cfg));
	at[2] = rp_split_now(w);
	waiting = w->in_flight == w->cfg.depth;
	reaped = reap(w, op, many, mode, cmd);
	at[3] = rp_split_now(w);
	if (record)
		rp_split_add(w, at, reaped, waiting);
	return ret < 0 || w->fatal ? rp_enter_error(w, ret) : 0;
}

/*
 * The instances of the template: operation, many files, command, mode of
 * stamping, SQPOLL. Where each I/O has a stamp, the last is looked at in each
 * round (2), which costs nothing beside the stamps and halves their number.
 */
#define FOR_EACH_MODE(X, op, many, cmd)					\
	X(op, many, cmd, 0, 0) X(op, many, cmd, 0, 1)			\
	X(op, many, cmd, 1, 0) X(op, many, cmd, 1, 1)			\
	X(op, many, cmd, 2, 2) X(op, many, cmd, 3, 2)
#define FOR_EACH_READ(X, op)						\
	FOR_EACH_MODE(X, op, 0, 0) FOR_EACH_MODE(X, op, 1, 0)		\
	FOR_EACH_MODE(X, op, 0, 1) FOR_EACH_MODE(X, op, 1, 1)
#define FOR_EACH(X)							\
	FOR_EACH_MODE(X, NOP, 0, 0)					\
	FOR_EACH_READ(X, RANDOM) FOR_EACH_READ(X, SEQ)

_Static_assert(RP_STAMP_NEVER == 0 && RP_STAMP_ROUND == 1 && RP_STAMP_EACH == 2 &&
	       RP_STAMP_EACH_TSC == 3, "modes as above");

#define DEFINE(op, many, cmd, mode, sqpoll)				\
static int run_##op##_##many##cmd##mode##sqpoll(struct rp_worker *w,	\
						uint32_t rounds)	\
{									\
	return run(w, rounds, RP_OP_##op, many, mode,			\
		   sqpoll < 2 ? sqpoll : is_sqpoll(&w->cfg), cmd);	\
}
FOR_EACH(DEFINE)

int (*rp_uring_batch(const struct rp_config *cfg))(struct rp_worker *, uint32_t)
{
	const bool is_many = cfg->nr_files > 1;
	const bool is_cmd = cfg->flags & RP_PASSTHROUGH;

#define PICK(name, many, cmd, mode, sqpoll)				\
	if (cfg->op == RP_OP_##name && is_many == (bool)many &&		\
	    is_cmd == (bool)cmd && rp_stamp_mode(cfg) == mode &&	\
	    (sqpoll == 2 || is_sqpoll(cfg) == (bool)sqpoll))		\
		return run_##name##_##many##cmd##mode##sqpoll;
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
		return (int)reap(w, RP_OP_NOP, false, RP_STAMP_NEVER, false);
	if (w->cfg.flags & RP_PASSTHROUGH)
		return (int)reap(w, RP_OP_RANDOM, w->cfg.nr_files > 1, RP_STAMP_NEVER, true);
	return (int)reap(w, RP_OP_RANDOM, w->cfg.nr_files > 1, RP_STAMP_NEVER, false);
}
