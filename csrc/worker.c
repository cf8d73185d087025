/* SPDX-License-Identifier: MIT */
/* The life of a worker, whatever its engine: open, drain, close, views. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

#ifndef RP_CORE_ID
#define RP_CORE_ID "unbuilt"
#endif

const char *rp_core_id(void)
{
	return RP_CORE_ID;
}

struct rp_abi rp_abi(void)
{
	return (struct rp_abi){
		.clock = sizeof(struct rp_clock),
		.config = sizeof(struct rp_config),
		.file = sizeof(struct rp_file),
		.report = sizeof(struct rp_report),
		.counters = sizeof(struct rp_counters),
		.error = sizeof(struct rp_error),
		.tally = sizeof(struct rp_tally),
		.window = sizeof(struct rp_window),
		.split = sizeof(struct rp_split),
	};
}

/* NVMe commands are refused on rings without both (5.19). */
#define RP_BIG_ENTRIES	(IORING_SETUP_SQE128 | IORING_SETUP_CQE32)

static int check_config(const struct rp_config *c, const struct rp_file *files)
{
	const bool reads = c->op != RP_OP_NOP;

	if (c->engine > RP_ENGINE_SYNC || c->op > RP_OP_SEQ ||
	    c->depth < 1 || c->depth > RP_MAX_DEPTH ||
	    c->submit < 1 || c->submit > c->depth ||
	    c->complete < 1 || c->complete > c->depth ||
	    c->nr_files > RP_SLOT_MASK ||
	    (c->flags & RP_TIMED_EACH && !(c->flags & RP_TIMED)) ||
	    !c->clock.hz != !c->clock.mult || (c->clock.hz && !RP_HAVE_TSC))
		return -EINVAL;
	/* Results are 32-bit; lengths of one read end below 2 GiB. */
	if (reads && (!c->nr_files || !c->block_size || c->block_size > 1u << 30))
		return -EINVAL;
	if (!reads && (c->nr_files || c->engine != RP_ENGINE_URING))
		return -EINVAL;
	if (c->engine == RP_ENGINE_SYNC && c->depth != 1)
		return -EINVAL;
	if (c->flags & RP_PASSTHROUGH &&
	    (c->engine != RP_ENGINE_URING ||
	     (c->setup_flags & RP_BIG_ENTRIES) != RP_BIG_ENTRIES))
		return -EINVAL;
	for (uint32_t i = 0; i < c->nr_files; i++) {
		if (!files[i].blocks || files[i].start_block >= files[i].blocks)
			return -EINVAL;
		if (c->flags & RP_PASSTHROUGH &&
		    (files[i].lbas < 1 || files[i].lbas > 65536 ||
		     files[i].transfer < c->block_size))
			return -EINVAL;
	}
	return 0;
}

static void free_worker(struct rp_worker *w)
{
	rp_buffers_close(w);
	free(w->ranges);
	free(w->tallies);
	free(w->slots);
	free(w->free_slots);
	free(w->files);
	free(w->fds);
	free(w->metadata);
	free(w->iovecs);
	free(w->hist);
	free(w);
}

static int allocate(struct rp_worker *w, const struct rp_file *src)
{
	const uint32_t files = w->cfg.nr_files ? w->cfg.nr_files : 1;
	const uint32_t need = w->cfg.depth > files ? w->cfg.depth : files;

	w->nr_slots = 1;
	while (w->nr_slots < need)
		w->nr_slots *= 2;
	w->ranges = calloc(files, sizeof(*w->ranges));
	/* Lines of their own: other workers write beside them. */
	w->tallies = aligned_alloc(64, (files * sizeof(*w->tallies) + 63) & ~(size_t)63);
	w->files = calloc(files, sizeof(*w->files));
	w->fds = calloc(files, sizeof(*w->fds));
	w->slots = calloc(w->nr_slots, sizeof(*w->slots));
	w->free_slots = calloc(w->nr_slots, sizeof(*w->free_slots));
	w->iovecs = calloc(w->nr_slots, sizeof(*w->iovecs));
	if (!w->ranges || !w->tallies || !w->files || !w->fds || !w->slots ||
	    !w->free_slots || !w->iovecs)
		return -ENOMEM;
	memset(w->tallies, 0, files * sizeof(*w->tallies));
	if (w->cfg.flags & RP_TIMED) {
		w->hist = calloc(RP_HIST_COUNTS, sizeof(*w->hist));
		if (!w->hist)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < w->cfg.nr_files; i++)
		w->files[i] = src[i];
	return rp_buffers_open(w);
}

/* Deal the slots to files and buffers, and put the usable ones into the FIFO. */
static void deal_slots(struct rp_worker *w, const struct rp_file *files)
{
	const uint32_t nr_files = w->cfg.nr_files;
	const uint32_t usable = w->cfg.depth > nr_files ? w->cfg.depth : nr_files;

	for (uint32_t i = 0; i < nr_files; i++) {
		w->fds[i] = files[i].fd;
		w->ranges[i].unit = w->cfg.flags & RP_PASSTHROUGH ?
				    files[i].lbas : w->cfg.block_size;
		w->ranges[i].blocks = files[i].blocks;
		w->ranges[i].next = files[i].start_block;
	}
	for (uint32_t i = 0; i < w->nr_slots && nr_files; i++) {
		w->slots[i].file = (uint16_t)(i % nr_files);
		w->slots[i].fd = w->fds[w->slots[i].file];
		w->slots[i].addr = (uint64_t)(uintptr_t)w->buffers +
				   (uint64_t)i * w->stride;
	}
	for (uint32_t i = 0; i < usable; i++)
		w->free_slots[w->free_tail++ & (w->nr_slots - 1)] = (uint16_t)i;
}

int rp_open(const struct rp_config *config, const struct rp_file *files,
	    struct rp_report *report, struct rp_worker **worker)
{
	static const struct rp_engine *const engines[] = {
		[RP_ENGINE_URING] = &rp_uring_engine,
		[RP_ENGINE_AIO] = &rp_aio_engine,
		[RP_ENGINE_SYNC] = &rp_sync_engine,
	};
	struct rp_worker *w;
	int ret;

	*worker = NULL;
	memset(report, 0, sizeof(*report));
	report->step = RP_STEP_CONFIG;
	ret = check_config(config, files);
	if (ret < 0)
		return ret;
	report->step = RP_STEP_MEMORY;
	w = aligned_alloc(64, (sizeof(*w) + 63) & ~(size_t)63);
	if (!w)
		return -ENOMEM;
	memset(w, 0, sizeof(*w));
	w->cfg = *config;
	w->random = config->seed;
	w->engine = engines[config->engine];
	rp_clock_open(w);
	rp_split_open(w);
	ret = allocate(w, files);
	report->buffer_bytes = w->buffer_bytes;
	if (ret < 0)
		goto fail;
	deal_slots(w, files);
	ret = w->engine->open(w, report);
	if (ret < 0)
		goto fail;
	*worker = w;
	return 0;
fail:
	free_worker(w);
	return ret;
}

/*
 * SQEs that the kernel has left in the ring, and that will not be submitted:
 * undo their preparation, newest first, so that no file seems to have them in
 * flight.
 */
static void take_back(struct rp_worker *w)
{
	const size_t step = w->cfg.flags & RP_PASSTHROUGH ? 2 : 1;
	struct io_uring_sq *sq = &w->ring.sq;

	for (; w->prepared; w->prepared--) {
		const uint32_t at = --w->sq_tail & (sq->ring_entries - 1);
		const struct io_uring_sqe *sqe = &sq->sqes[(size_t)at * step];
		uint64_t *taken;

		if (w->cfg.nr_files < 2)
			continue;
		taken = &w->tallies[w->slots[sqe->user_data & RP_SLOT_MASK].file].taken;
		rp_publish(taken, *taken - 1);
		w->free_head--;
	}
	/* Never beside an SQ thread, which takes all: the kernel is not looking. */
	IO_URING_WRITE_ONCE(*sq->ktail, w->sq_tail);
}

int rp_drain(struct rp_worker *w, uint64_t deadline_ns)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000 };
	int ret = 0;

	if (w->prepared)
		take_back(w);
	while (w->in_flight) {
		ret = w->engine->reap(w);
		if (ret < 0) {
			w->step = RP_STEP_SUBMIT;
			break;
		}
		if (ret > 0)
			continue;
		if (rp_now_ns() > deadline_ns) {
			ret = -ETIMEDOUT;
			break;
		}
		nanosleep(&pause, NULL);
	}
	if (w->ring.cq.koverflow)
		rp_publish(&w->counters.overflow, *w->ring.cq.koverflow);
	return ret < 0 ? ret : 0;
}

void rp_close(struct rp_worker *w)
{
	if (!w)
		return;
	w->engine->close(w);
	free_worker(w);
}

void rp_set_phase(struct rp_worker *w, uint32_t phase)
{
	/* Read by the worker once per round; it needs to see nothing else. */
	__atomic_store_n(&w->phase, phase, __ATOMIC_RELAXED);
}

const struct rp_counters *rp_counters(const struct rp_worker *w)
{
	return &w->counters;
}

const struct rp_tally *rp_tallies(const struct rp_worker *w)
{
	return w->tallies;
}

const struct rp_error *rp_errors(const struct rp_worker *w)
{
	return w->errors;
}

const struct rp_window *rp_window(const struct rp_worker *w)
{
	return &w->window;
}

const uint64_t *rp_histogram(const struct rp_worker *w)
{
	return w->hist;
}

uint32_t rp_fault(const struct rp_worker *w, uint32_t *file)
{
	*file = w->fatal_file;
	return w->step;
}
