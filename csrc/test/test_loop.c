/* SPDX-License-Identifier: MIT */
/*
 * Random configurations of the io_uring loop, watched by a second thread:
 * the counters add up, no file ever has more than its share in flight, stop
 * means stop. The seed is fixed, so a failure repeats. And a slow file beside a
 * quick one gets its share of attention.
 */
#include <pthread.h>
#include <sys/eventfd.h>

#include "../worker.h"
#include "rig.h"

#define CASES		150
#define MAX_FILES	8
#define BLOCKS		64

static const uint32_t depths[] = { 1, 2, 3, 7, 31, 32, 33, 128, 1000 };
static const uint32_t file_counts[] = { 1, 1, 1, 2, 3, 5, MAX_FILES };
static uint64_t chance = 20240607;

static uint32_t any(uint32_t n)
{
	return (uint32_t)(((rp_random(&chance) >> 32) * n) >> 32);
}

struct watch {
	struct rp_worker *w;
	const struct rp_config *cfg;
	uint32_t stop_at;	/* completions after which to say stop */
	uint32_t measure_at;
};

/* The other side: reads what a reporter reads, and sets the phases. */
static void *watcher(void *arg)
{
	const struct watch *watch = arg;
	const struct rp_config *cfg = watch->cfg;
	const struct rp_counters *c = rp_counters(watch->w);
	const uint32_t files = cfg->nr_files ? cfg->nr_files : 1;
	const uint32_t share = (cfg->depth + files - 1) / files;
	uint64_t before = 0, after, submitted;

	do {
		submitted = peek(&c->submitted);
		after = peek(&c->completed) + peek(&c->failed);
#if defined(__x86_64__)
		/* Stores and loads are seen in order: an older total of submissions first. */
		CHECK_OP(submitted, <=, after + cfg->depth);
		CHECK_OP(peek(&c->submitted), >=, after);
#endif
		CHECK_OP(after, >=, before);
		before = after;
		for (uint32_t i = 0; i < cfg->nr_files; i++)
			CHECK_OP(in_flight_of(watch->w, i), <=, share);
		if (after >= watch->measure_at)
			rp_set_phase(watch->w, RP_PHASE_MEASURE);
	} while (after < watch->stop_at);
	rp_set_phase(watch->w, RP_PHASE_STOP);
	return NULL;
}

/* First in, first out: the first I/Os reach each file once. A walk shows it. */
static void check_visits(const struct rp_worker *w, const struct rp_config *cfg)
{
	if (cfg->op != RP_OP_SEQ || rp_counters(w)->submitted >= BLOCKS)
		return;		/* or it may have come around */
	for (uint32_t i = 0; i < cfg->nr_files; i++)
		CHECK_OP(w->ranges[i].next, >, 0);
}

static void run_case(struct rp_config *cfg, const struct rp_file *files)
{
	struct watch watch = { .cfg = cfg, .stop_at = 300 + 2 * cfg->depth };
	pthread_t thread;
	uint32_t calls = 0;
	int ret;

	watch.measure_at = watch.stop_at / 2;
	watch.w = open_worker(cfg, files);
	check_counters(watch.w, cfg, 0);
	for (; rp_counters(watch.w)->submitted < cfg->nr_files; calls++) {
		CHECK_EQ(rp_batch(watch.w, 1), 0);
		check_counters(watch.w, cfg, -1);
		CHECK_OP(calls, <, 100000);
	}
	check_visits(watch.w, cfg);
	CHECK_EQ(pthread_create(&thread, NULL, watcher, &watch), 0);
	do {
		ret = rp_batch(watch.w, 1 + any(50));
		check_counters(watch.w, cfg, -1);
	} while (!ret);
	CHECK_EQ(ret, 1);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	stop_and_drain(watch.w, cfg);
	CHECK_EQ(rp_counters(watch.w)->failed, 0);
	CHECK_OP(rp_counters(watch.w)->completed, >=, watch.stop_at);
	/* An SQ thread that never slept needed none. */
	if (!(cfg->setup_flags & IORING_SETUP_SQPOLL))
		CHECK_OP(rp_counters(watch.w)->calls, >, 0);
	rp_close(watch.w);
}

/* Ring flags: none, the fast ones, or an SQ thread. */
static uint32_t pick_setup(uint32_t fast, uint32_t sqpoll, struct rp_config *cfg)
{
	uint32_t setup = fast & rp_random(&chance);

	switch (any(4)) {
	case 0:
		cfg->sqpoll_idle_ms = 1 + any(20);
		setup = sqpoll;
		break;
	case 1:
		if (!(setup & IORING_SETUP_SINGLE_ISSUER))
			setup &= ~IORING_SETUP_DEFER_TASKRUN;
		break;
	default:
		setup = fast;
	}
	if (cfg->flags & RP_RESTRICTED)
		setup |= IORING_SETUP_R_DISABLED;
	return setup;
}

/*
 * A file whose reads complete at once keeps the depth from filling up, so no
 * call ever waits. What completes later, of a slower file, is seen all the same.
 */
static void test_slow_beside_quick(uint32_t setup, uint32_t flags, bool sampled)
{
	const uint64_t some = 4;
	struct rp_file files[2] = {
		{ .fd = eventfd(100000000, EFD_SEMAPHORE), .blocks = 1 },
		{ .fd = eventfd(0, EFD_SEMAPHORE), .blocks = 1 },
	};
	struct rp_config cfg = config_of(RP_OP_RANDOM, 8, 8, 2);
	struct rp_worker *w;
	uint32_t rounds = 0;

	trying("slow beside quick, setup %#x flags %#x sampled %d", setup, flags, sampled);
	cfg.submit = cfg.complete = 2;
	cfg.setup_flags = setup;
	cfg.flags = flags;
	w = open_worker(&cfg, files);
	CHECK_EQ(rp_batch(w, 50), 0);
	CHECK_EQ(in_flight_of(w, 1), 4);
	CHECK_OP(rp_tallies(w)[0].completed, >, 80);
	CHECK_EQ(write(files[1].fd, &some, sizeof(some)), sizeof(some));
	for (; rp_tallies(w)[1].completed < 4; rounds++) {
		CHECK_OP(rounds, <, 1000);
		CHECK_EQ(sampled ? w->engine->sample(w, false) : rp_batch(w, 1), 0);
	}
	CHECK_EQ(write(files[1].fd, &(uint64_t){ 1000 }, sizeof(uint64_t)), sizeof(uint64_t));
	stop_and_drain(w, &cfg);
	rp_close(w);
	close(files[0].fd);
	close(files[1].fd);
}

int main(void)
{
	static const uint32_t sizes[] = { 512, 4096, 12288 };
	const uint32_t fast = granted_flags(0, FAST_FLAGS);
	const uint32_t sqpoll = granted_flags(IORING_SETUP_SQPOLL, SQPOLL_FLAGS);
	struct rp_file direct[MAX_FILES], buffered[MAX_FILES];

	for (uint32_t i = 0; i < MAX_FILES; i++) {
		direct[i] = (struct rp_file){ .fd = file_of(0, BLOCKS, 12288, 1),
					      .blocks = BLOCKS };
		buffered[i] = (struct rp_file){ .fd = file_of(0, BLOCKS, 12288, 0),
						.blocks = BLOCKS };
	}
	for (uint32_t i = 0; i < 8; i++)
		test_slow_beside_quick(i & 1 ? fast : 0, i & 2 ? RP_TIMED : 0, i & 4);
	for (uint32_t i = 0; i < CASES; i++) {
		struct rp_config cfg = config_of(any(8) ? 1 + any(2) : RP_OP_NOP,
						 depths[any(9)], sizes[any(3)], 0);
		struct rp_file *files = any(4) ? buffered : direct;

		if (files == direct && cfg.block_size == 512)
			cfg.block_size = 4096;
		if (cfg.op != RP_OP_NOP)
			cfg.nr_files = file_counts[any(7)];
		if (any(2)) {
			cfg.submit = 1 + any(cfg.depth);
			cfg.complete = 1 + any(cfg.depth);
		}
		cfg.flags = rp_random(&chance) & (RP_FIXED_BUFS | RP_FIXED_FILES | RP_FIXED_RING |
						  RP_VECTORED | RP_TIMED | RP_RESTRICTED);
		if (any(3))
			cfg.flags &= ~(any(2) ? RP_FIXED_BUFS : RP_RESTRICTED);
		/* Locked memory is scarce without privileges. */
		if (geteuid() && cfg.depth > 33)
			cfg.flags &= ~RP_FIXED_BUFS;
		cfg.setup_flags = pick_setup(fast, sqpoll, &cfg);
		cfg.seed = rp_random(&chance);
		trying("case %u: op %u flags %#x setup %#x depth %u/%u/%u files %u size %u %s",
		       i, cfg.op, cfg.flags, cfg.setup_flags, cfg.depth, cfg.submit,
		       cfg.complete, cfg.nr_files, cfg.block_size,
		       files == direct ? "direct" : "buffered");
		run_case(&cfg, files);
	}
	for (uint32_t i = 0; i < MAX_FILES; i++) {
		close(direct[i].fd);
		close(buffered[i].fd);
	}
	return 0;
}
