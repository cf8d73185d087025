/* SPDX-License-Identifier: MIT */
/*
 * The whole contract between the hot loop and whoever drives it.
 *
 * A worker is one submitter: one ring (or AIO context, or nothing but a file
 * descriptor for the synchronous engine), its buffers and its counters. It is
 * opened, used, drained and closed on one and the same OS thread; only
 * rp_set_phase() and the counters may be touched from another.
 *
 * Functions return 0 or a count, or a negative errno. They never print, exit,
 * call back or keep a pointer that they were given. Shared structs have fixed
 * widths and no pointers; rp_abi() lets the caller compare their sizes.
 */
#ifndef RINGPEAK_H
#define RINGPEAK_H

#include <stdint.h>

/* Engines: struct rp_config.engine. */
#define RP_ENGINE_URING	0u
#define RP_ENGINE_AIO	1u	/* io_submit(2), io_getevents(2) */
#define RP_ENGINE_SYNC	2u	/* preadv2(2), one at a time */

/* Operations: struct rp_config.op. */
#define RP_OP_NOP	0u
#define RP_OP_RANDOM	1u	/* read, uniform over all whole blocks */
#define RP_OP_SEQ	2u	/* read, ascending from start_block, wrapping */

/* Options: struct rp_config.flags. */
#define RP_POLLED	(1u << 0)	/* IOPOLL; RWF_HIPRI with the synchronous engine */
#define RP_FIXED_BUFS	(1u << 1)	/* registered buffers, READ_FIXED */
#define RP_FIXED_FILES	(1u << 2)	/* registered files */
#define RP_FIXED_RING	(1u << 3)	/* registered ring descriptor (5.18) */
#define RP_VECTORED	(1u << 4)	/* READV */
#define RP_RESTRICTED	(1u << 5)	/* ring restrictions (5.10) */
#define RP_TIMED	(1u << 6)	/* record latency, see rp_window */
#define RP_PASSTHROUGH	(1u << 7)	/* NVMe commands to /dev/ngXnY (5.19) */
#define RP_TIMED_EACH	(1u << 8)	/* with RP_TIMED: a stamp per I/O, not per round */
#define RP_FIRST_ERROR	(1u << 9)	/* any I/O that fails ends the run, not only those that all will */

/* Phases, in order. The caller sets them; the worker obeys at its next round. */
#define RP_PHASE_WARM		0u
#define RP_PHASE_MEASURE	1u	/* latency is recorded from here */
#define RP_PHASE_STOP		2u	/* batches return 1 without submitting */

/* Steps: where an errno came from. */
#define RP_STEP_NONE		0u
#define RP_STEP_CONFIG		1u	/* the configuration contradicts itself */
#define RP_STEP_MEMORY		2u	/* allocating or mapping buffers */
#define RP_STEP_SETUP		3u	/* io_uring_setup, io_setup */
#define RP_STEP_BUFFERS		4u	/* registering buffers */
#define RP_STEP_FILES		5u	/* registering files */
#define RP_STEP_RING_FD		6u	/* registering the ring descriptor */
#define RP_STEP_RESTRICT	7u	/* restrictions, or enabling the ring */
#define RP_STEP_SUBMIT		8u	/* io_uring_enter, io_submit, io_getevents */
#define RP_STEP_REAP		9u	/* an I/O ended in an error that no other will escape */

#define RP_MAX_DEPTH	32768u	/* the kernel's limit for SQ entries */
#define RP_ERRORS	16	/* kinds of error kept apart */

/*
 * The clock that stamps are taken from: CLOCK_MONOTONIC when hz is 0, else the
 * CPU's time-stamp counter, as rp_calibrate() found it to run. A tick is
 * mult / 2^RP_CLOCK_SHIFT ns.
 */
#define RP_CLOCK_SHIFT	32
struct rp_clock {
	uint64_t mult;
	uint64_t hz;		/* ticks per second */
};

/* What to open. Sizes in bytes. */
struct rp_config {
	uint32_t engine;
	uint32_t op;
	uint32_t flags;
	uint32_t depth;		/* 1 .. RP_MAX_DEPTH, 1 for RP_ENGINE_SYNC */
	uint32_t submit;	/* SQEs per enter at most, 1 .. depth */
	uint32_t complete;	/* completions to wait for when full, 1 .. depth */
	uint32_t block_size;
	uint32_t nr_files;	/* 0 for NOP */
	uint32_t setup_flags;	/* IORING_SETUP_*, as rp_probe_setup() granted them */
	uint32_t sqpoll_cpu;	/* with IORING_SETUP_SQ_AFF */
	uint32_t sqpoll_idle_ms;
	int32_t  buffer_fd;	/* hugetlbfs file for the buffers, or -1 */
	uint64_t buffer_offset;	/* of this worker's share in it */
	uint64_t seed;		/* of this worker's offset stream */
	struct rp_clock clock;
};

/*
 * One target of a worker. The descriptor stays the caller's. The last five
 * fields are for RP_PASSTHROUGH, and 0 otherwise.
 */
struct rp_file {
	int32_t  fd;
	uint32_t nsid;		/* namespace */
	uint64_t blocks;	/* whole blocks of block_size; > 0 */
	uint64_t start_block;	/* where a sequential walk begins; < blocks */
	uint32_t lbas;		/* LBAs per block, 1 .. 65536 */
	uint32_t transfer;	/* bytes per block as transferred: with interleaved metadata */
	uint32_t metadata;	/* bytes per block of metadata in a buffer of its own */
	uint32_t control;	/* bits of command dword 12 beside the LBA count (PRACT) */
};

/* What opening came to; filled as far as it went, also on failure. */
struct rp_report {
	uint32_t step;		/* RP_STEP_*: of the failure, else RP_STEP_NONE */
	uint32_t setup_flags;	/* in force */
	uint32_t features;	/* io_uring_params.features */
	uint32_t sq_entries;
	uint32_t cq_entries;
	uint32_t opcode;	/* IORING_OP_* */
	uint32_t buffer_regions; /* registered iovecs */
	uint32_t fixed_ring;	/* 1: the ring descriptor is registered */
	uint64_t buffer_bytes;	/* allocated, and pinned when registered */
};

/*
 * Totals of one worker since it was opened. Written by the worker only, once
 * per round, relaxed; read by anybody. submitted = completed + failed + in
 * flight whenever the worker is at rest. seq is odd while the totals of a
 * reap are being stored: a reading is consistent when seq was even before it
 * and is the same after it.
 */
struct rp_counters {
	uint64_t submitted;	/* handed to the kernel */
	uint64_t completed;	/* succeeded in full */
	uint64_t failed;	/* ended in an error, or short */
	uint64_t shorts;	/* those of failed that came back short */
	uint64_t bytes;		/* results of completed reads */
	uint64_t calls;		/* system calls that submit or wait */
	uint64_t overflow;	/* CQEs that did not fit (cq.koverflow); known once drained */
	uint64_t seq;
} __attribute__((aligned(64)));

/*
 * One way in which I/O failed. code is a negative errno; 0 for short reads; or
 * a positive NVMe status as the kernel gives it, without the phase bit.
 */
struct rp_error {
	int32_t  code;
	uint32_t file;		/* index into the files given to rp_open() */
	uint64_t count;
};

/*
 * What became of the I/O to one file. Written by the worker only, relaxed;
 * each count only grows, save that SQEs the kernel never took leave `taken`
 * again in the drain. In flight, and prepared, are taken - completed - failed;
 * whoever reads taken first never sees more of them than there were. Kept with
 * several files only: with one, rp_counters says it all.
 */
struct rp_tally {
	uint64_t taken;		/* prepared */
	uint64_t completed;	/* succeeded in full */
	uint64_t failed;	/* ended in an error, or short */
	uint64_t unused;
} __attribute__((aligned(32)));

/*
 * The window that latency was recorded over, between the rounds at which the
 * worker saw RP_PHASE_MEASURE and RP_PHASE_STOP. samples + over = completions.
 *
 * A latency reaches from the stamp of the I/O to the one of its CQE. By
 * default all I/Os that a round prepares bear the time at which it began to,
 * and all CQEs that it reaps the time at which it began to look at them; the
 * wait for the rest of either batch is in the latency. With RP_TIMED_EACH an
 * I/O bears the time at which its own SQE was begun, and a CQE the time at
 * which its own result was looked at. What the kernel does not accept at once
 * keeps its stamp. Stamps are taken when the I/O is queued, not when the
 * kernel is entered: with an SQ thread, that it is late is part of the latency.
 * With RP_ENGINE_SYNC the stamps are those before and after the call.
 */
struct rp_window {
	uint64_t begin_ns;	/* CLOCK_MONOTONIC */
	uint64_t end_ns;
	uint64_t clock_ns;	/* end - begin by the clock of the stamps */
	uint64_t completed;
	uint64_t over;		/* samples of RP_HIST_MAX_NS and more */
	uint64_t area;		/* I/Os in flight, integrated over time, in ns */
};

/*
 * Where the time of the window's rounds went: one round in about
 * RP_SPLIT_EVERY, chosen at random, is taken apart. Entering is the system
 * calls, waiting included. What reading the clock takes was subtracted.
 */
#define RP_SPLIT_EVERY	256u
struct rp_split {
	uint64_t rounds;	/* taken apart */
	uint64_t waiting;	/* those of them that asked for completions to wait for */
	uint64_t ios;		/* completions that they reaped, failed ones included */
	uint64_t prepare_ns;
	uint64_t enter_ns;
	uint64_t reap_ns;
	uint64_t read_ps;	/* picoseconds that reading the clock once takes */
};

/*
 * Latency buckets in HdrHistogram's layout: lowest 1 ns, highest
 * RP_HIST_MAX_NS - 1, 2 significant digits (under 1 % error).
 */
#define RP_HIST_SUB_BITS	8	/* 256 sub-buckets: 2 digits */
#define RP_HIST_MAX_BITS	36	/* 2^36 ns = 68.7 s */
#define RP_HIST_MAX_NS		(1ull << RP_HIST_MAX_BITS)
#define RP_HIST_COUNTS \
	((RP_HIST_MAX_BITS - RP_HIST_SUB_BITS + 2) << (RP_HIST_SUB_BITS - 1))

_Static_assert(sizeof(struct rp_clock) == 16, "rp_clock is shared");
_Static_assert(sizeof(struct rp_config) == 80, "rp_config is shared");
_Static_assert(sizeof(struct rp_file) == 40, "rp_file is shared");
_Static_assert(sizeof(struct rp_report) == 40, "rp_report is shared");
_Static_assert(sizeof(struct rp_counters) == 64, "one cache line");
_Static_assert(sizeof(struct rp_error) == 16, "rp_error is shared");
_Static_assert(sizeof(struct rp_tally) == 32, "two in a cache line");
_Static_assert(sizeof(struct rp_window) == 48, "rp_window is shared");
_Static_assert(sizeof(struct rp_split) == 56, "rp_split is shared");

struct rp_worker;

/* Hash of the sources and flags that this archive was built from. */
const char *rp_core_id(void);

/* Sizes of the shared structs, in the order they are declared above. */
struct rp_abi {
	uint32_t clock, config, file, report, counters, error, tally, window, split;
};
struct rp_abi rp_abi(void);

/*
 * Which of the wanted IORING_SETUP_* flags this kernel takes together with
 * the required ones. Asks REGISTER_QUERY (6.18), else tries 1-entry rings,
 * dropping the newest wanted flag first. Stores the union in *granted and
 * io_uring_params.features in *features. Returns 0; -EINVAL when the required
 * flags alone are refused; or what io_uring_setup(1, 0) fails with when
 * io_uring is not to be had at all (*granted is then 0).
 */
int rp_probe_setup(uint32_t required, uint32_t wanted, uint32_t *granted,
		   uint32_t *features);

/*
 * Hold the time-stamp counter against CLOCK_MONOTONIC for about length_ns, by
 * readings of the one between two of the other. Sleeps meanwhile. Whether the
 * counter runs evenly on all CPUs is the kernel's to know, and the caller's to
 * ask. Returns 0; -EOPNOTSUPP where there is none; -EACCES when this process
 * may not read it (PR_SET_TSC); -ERANGE when the two did not go together.
 */
int rp_calibrate(uint64_t length_ns, struct rp_clock *clock);

/*
 * Open a worker. Everything that a run needs is allocated, registered and
 * prefilled here. On failure *worker is NULL, nothing is left open and
 * report->step says where.
 */
int rp_open(const struct rp_config *config, const struct rp_file *files,
	    struct rp_report *report, struct rp_worker **worker);

/*
 * The hot call: at most `rounds` rounds of prepare, enter, reap. Returns 0
 * when the rounds are done, 1 when the phase is RP_PHASE_STOP, or a negative
 * errno that ends the run; rp_fault() says where. May sleep in the kernel
 * for as long as the target takes: a signal to the thread brings it back to
 * look at its phase. (RP_ENGINE_SYNC: one without SA_RESTART, and only where
 * reads can be interrupted; those of disks cannot.)
 */
int rp_batch(struct rp_worker *worker, uint32_t rounds);

/*
 * Reap without submitting until nothing is in flight. Returns 0, or
 * -ETIMEDOUT when CLOCK_MONOTONIC passes deadline_ns first; rp_tallies()
 * then say what is missing where. Never sleeps longer than a millisecond.
 */
int rp_drain(struct rp_worker *worker, uint64_t deadline_ns);

/*
 * Free everything. The worker must be drained: some kernels fault when a
 * polled ring is closed with I/O in flight. NULL is allowed.
 */
void rp_close(struct rp_worker *worker);

/* Set the phase; from any thread. */
void rp_set_phase(struct rp_worker *worker, uint32_t phase);

/* Views of the worker's own memory, valid until rp_close(). */
const struct rp_counters *rp_counters(const struct rp_worker *worker);
const struct rp_tally *rp_tallies(const struct rp_worker *worker); /* per file */
const struct rp_error *rp_errors(const struct rp_worker *worker); /* RP_ERRORS */
const struct rp_window *rp_window(const struct rp_worker *worker);
const uint64_t *rp_histogram(const struct rp_worker *worker); /* RP_HIST_COUNTS, or NULL */

/* Where the time went; once rp_batch() has seen RP_PHASE_STOP. */
void rp_get_split(const struct rp_worker *worker, struct rp_split *split);

/*
 * RP_STEP_* of the last negative result of rp_batch(), or of rp_drain() but
 * for -ETIMEDOUT. *file is as in rp_error, and meant with RP_STEP_REAP only.
 */
uint32_t rp_fault(const struct rp_worker *worker, uint32_t *file);

#endif
