/* SPDX-License-Identifier: MIT */
/* The inside of a worker, shared by the engines. Not part of the contract. */
#ifndef RP_WORKER_H
#define RP_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "compat.h"
#include "ringpeak.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define RP_HOT		static inline __attribute__((always_inline))
#define RP_COLD		__attribute__((cold, noinline))
#define RP_RARE	__attribute__((noinline))	/* rare, yet to be as quick as the rest */
#define RP_LINE		__attribute__((aligned(64)))

/*
 * user_data of every I/O: its slot in the low bits and, when timed, the stamp
 * above them, in nanoseconds since open whatever the clock. 48 bits of those
 * wrap after 78 hours, which differences do not notice. The stamp travels with
 * the I/O, so it cannot be overwritten while the I/O is in flight.
 */
#define RP_SLOT_BITS	16
#define RP_SLOT_MASK	((1u << RP_SLOT_BITS) - 1)
#define RP_STAMP_MASK	((1ull << (64 - RP_SLOT_BITS)) - 1)

_Static_assert(RP_MAX_DEPTH <= RP_SLOT_MASK + 1, "slots fit user_data");

/*
 * What is fixed about a slot: its buffer, and the file that it reads. Slots
 * are dealt to files in turn, so that no file ever has more than its even
 * share of the depth in flight. With fewer I/Os than files there is a slot
 * per file, and first-in first-out use of the free ones visits them all.
 */
struct rp_slot {
	uint64_t addr;		/* of the buffer, or of its iovec */
	int32_t  fd;		/* or index of the registered file */
	uint16_t buf_index;
	uint16_t file;
};

/* Where a file's next offset comes from. */
struct rp_range {
	uint64_t blocks;
	uint64_t next;		/* sequential: block that comes next */
	uint64_t unit;		/* of offsets: bytes per block, or LBAs with passthrough */
};

struct rp_engine {
	int (*open)(struct rp_worker *w, struct rp_report *report);
	int (*sample)(struct rp_worker *w, bool record); /* one round, taken apart */
	int (*reap)(struct rp_worker *w);	/* what is there; never sleeps */
	void (*close)(struct rp_worker *w);
};

struct rp_worker {
	/* Written by others; a line of its own. */
	uint32_t phase RP_LINE;

	/* Written here, read by others. */
	struct rp_counters counters;

	/* Hot: the state of the loop between two calls. */
	int (*batch)(struct rp_worker *w, uint32_t rounds) RP_LINE;
	uint32_t seen_phase;	/* the phase that the loop acted on last */
	uint32_t in_flight;	/* accepted by the kernel, not reaped */
	uint32_t prepared;	/* in the SQ, not accepted yet */
	uint32_t sq_tail;
	uint32_t cq_head;
	uint32_t enter_flags;
	int	 enter_fd;
	uint64_t random;
	uint32_t free_head;	/* FIFO of free slots: next to take */
	uint32_t free_tail;	/* and where the next one is returned */
	uint32_t fatal;		/* errno that ends the run, 0 */
	uint32_t unsampled;	/* rounds until one is taken apart */
	bool	 warmed;	/* the code that does that has just run once */

	/* Constant after open. */
	struct rp_config cfg RP_LINE;
	const struct rp_engine *engine;
	uint64_t epoch_ns;	/* stamps count from here */
	uint64_t epoch_ticks;	/* the same moment by the time-stamp counter */
	uint32_t nr_slots;	/* a power of two >= depth and files */
	struct rp_range *ranges;	/* per file */
	struct rp_tally *tallies;	/* per file; kept with several only */
	struct rp_slot *slots;
	uint16_t *free_slots;		/* several files, AIO: FIFO, nr_slots long */
	struct rp_file *files;
	int *fds;			/* the same descriptors, as registering wants them */
	uint8_t *metadata;		/* passthrough: metadata_stride per slot */
	uint32_t metadata_stride;
	struct iovec *iovecs;		/* READV, and registration */
	uint8_t *map;			/* what holds the buffers, and perhaps more */
	size_t map_bytes;
	uint8_t *buffers;
	size_t buffer_bytes;
	uint32_t stride;		/* from one slot's buffer to the next */

	/* Rare. */
	struct rp_error errors[RP_ERRORS];
	uint32_t step;
	uint32_t fatal_file;
	struct rp_window window;
	uint64_t window_stamp;		/* when the window opened */
	uint64_t window_completed;	/* completed when the window opened */
	uint64_t integrated;		/* ns since the epoch; kept when timed */
	uint64_t *hist;
	struct {			/* of rounds taken apart, by rp_split_now() */
		uint64_t rounds, waiting, ios, prepare, enter, reap;
	} split;
	uint64_t split_reads;		/* what some readings of it take */
	uint64_t split_random;		/* which round is next */

	struct io_uring ring;
	void *priv;			/* AIO, sync: their own state */
};

extern const struct rp_engine rp_uring_engine;
extern const struct rp_engine rp_aio_engine;
extern const struct rp_engine rp_sync_engine;

/* loop.c: the batch and reap functions for a configuration. */
int (*rp_uring_batch(const struct rp_config *cfg))(struct rp_worker *, uint32_t);
int rp_uring_reap(struct rp_worker *w);
int rp_uring_sample(struct rp_worker *w, bool record);

/* buffers.c */
int rp_buffers_open(struct rp_worker *w);
int rp_buffers_register(struct rp_worker *w, struct rp_report *report);
void rp_buffers_close(struct rp_worker *w);

/* clock.c */
void rp_clock_open(struct rp_worker *w);
void rp_moment(const struct rp_worker *w, uint64_t *ns, uint64_t *stamp);

/* split.c */
void rp_split_open(struct rp_worker *w);

/* account.c: the rare paths of the loops. */
RP_COLD bool rp_turn(struct rp_worker *w);
RP_COLD void rp_account_failure(struct rp_worker *w, uint32_t file, int32_t res);
RP_COLD int rp_enter_error(struct rp_worker *w, int ret);

/* Let a sibling hardware thread run while this one spins. */
RP_HOT void rp_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

/*
 * 64 random bits: a Weyl sequence through a 64x64 -> 128 multiply, folded
 * (the wyrand construction). The chain from one number to the next is a
 * single addition, so the multiplies of neighbouring I/Os overlap.
 */
RP_HOT uint64_t rp_random(uint64_t *state)
{
	unsigned __int128 m;

	*state += 0xa0761d6478bd642full;
	m = (unsigned __int128)*state * (*state ^ 0xe7037ed1a0b428dbull);
	return (uint64_t)(m >> 64) ^ (uint64_t)m;
}

/*
 * Offset of the next I/O, in range->unit. Random: multiply-high maps 64 bits onto
 * [0, blocks) without a division; its bias is below blocks / 2^64.
 */
RP_HOT uint64_t rp_next_offset(uint64_t *random, struct rp_range *range,
			       const uint32_t op)
{
	uint64_t block;

	if (op == RP_OP_RANDOM) {
		block = (uint64_t)(((unsigned __int128)rp_random(random) *
				    range->blocks) >> 64);
	} else {
		block = range->next;
		range->next = block + 1 == range->blocks ? 0 : block + 1;
	}
	return block * range->unit;
}

/* Publish one counter to readers on other CPUs; nobody else writes it. */
RP_HOT void rp_publish(uint64_t *counter, uint64_t value)
{
	__atomic_store_n(counter, value, __ATOMIC_RELAXED);
}

RP_HOT void rp_count(uint64_t *counter)
{
	rp_publish(counter, *counter + 1);
}

/*
 * Around the totals of one reap, so that a reader can tell a torn reading.
 * Whoever sees one of them sees the odd number before it; whoever sees the
 * even number sees all of them.
 */
RP_HOT void rp_begin_totals(struct rp_worker *w)
{
	rp_publish(&w->counters.seq, w->counters.seq + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

RP_HOT void rp_end_totals(struct rp_worker *w)
{
	__atomic_store_n(&w->counters.seq, w->counters.seq + 1, __ATOMIC_RELEASE);
}

#include "clock.h"

/* The mode of stamping that the configuration asks for. */
static inline uint32_t rp_stamp_mode(const struct rp_config *c)
{
	if (!(c->flags & RP_TIMED))
		return RP_STAMP_NEVER;
	if (!(c->flags & RP_TIMED_EACH))
		return RP_STAMP_ROUND;
	return c->clock.hz ? RP_STAMP_EACH_TSC : RP_STAMP_EACH;
}

#endif
