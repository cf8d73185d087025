/* SPDX-License-Identifier: MIT */
/* The inside of a worker, shared by the engines. Not part of the contract. */
#ifndef RP_WORKER_H
#define RP_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <time.h>

#include "compat.h"
#include "ringpeak.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define RP_HOT		static inline __attribute__((always_inline))
#define RP_COLD		__attribute__((cold, noinline))
#define RP_LINE		__attribute__((aligned(64)))

/*
 * user_data of every I/O: its slot in the low bits and, when timed, the
 * nanoseconds since open at which its round began above them. 48 bits of
 * nanoseconds wrap after 78 hours, which differences do not notice. The stamp travels with the I/O, so it cannot be
 * overwritten while the I/O is in flight.
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

	/* Constant after open. */
	struct rp_config cfg RP_LINE;
	const struct rp_engine *engine;
	uint64_t epoch_ns;	/* stamps count from here */
	uint32_t nr_slots;	/* a power of two >= depth and files */
	struct rp_range *ranges;	/* per file */
	uint32_t *file_in_flight;	/* per file; kept with several only */
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
	uint64_t window_completed;	/* completed when the window opened */
	uint64_t integrated;		/* ns since the epoch; kept when timed */
	uint64_t *hist;

	struct io_uring ring;
	void *priv;			/* AIO, sync: their own state */
};

extern const struct rp_engine rp_uring_engine;
extern const struct rp_engine rp_aio_engine;
extern const struct rp_engine rp_sync_engine;

/* loop.c: the batch and reap functions for a configuration. */
int (*rp_uring_batch(const struct rp_config *cfg))(struct rp_worker *, uint32_t);
int rp_uring_reap(struct rp_worker *w);

/* buffers.c */
int rp_buffers_open(struct rp_worker *w);
int rp_buffers_register(struct rp_worker *w, struct rp_report *report);
void rp_buffers_close(struct rp_worker *w);

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

RP_HOT uint64_t rp_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
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

/* Integrate what is in flight over time, up to now, in ns since the epoch. */
RP_HOT void rp_integrate(struct rp_worker *w, const uint64_t now)
{
	w->window.area += w->in_flight * (now - w->integrated);
	w->integrated = now;
}

/* The stamp of a round's I/Os for user_data, above the slot. */
RP_HOT uint64_t rp_begin_round(struct rp_worker *w)
{
	const uint64_t now = rp_now_ns() - w->epoch_ns;

	rp_integrate(w, now);
	return now << RP_SLOT_BITS;
}

/* Nanoseconds from the stamp in user_data to now, both modulo 2^48. */
RP_HOT uint64_t rp_since(const uint64_t now, const uint64_t user_data)
{
	return (now - (user_data >> RP_SLOT_BITS)) & RP_STAMP_MASK;
}

/*
 * Count a latency. HdrHistogram: values below 2^SUB_BITS have a bucket each;
 * above, each power of two is cut into 2^(SUB_BITS - 1).
 */
RP_HOT void rp_hist_add(struct rp_worker *w, uint64_t ns)
{
	uint32_t shift;

	if (unlikely(ns >= RP_HIST_MAX_NS)) {
		w->window.over++;
		return;
	}
	shift = 63 - (uint32_t)__builtin_clzll(ns | ((1u << RP_HIST_SUB_BITS) - 1)) -
		(RP_HIST_SUB_BITS - 1);
	w->hist[(shift << (RP_HIST_SUB_BITS - 1)) + (ns >> shift)]++;
}

#endif
