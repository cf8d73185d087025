/* SPDX-License-Identifier: MIT */
/* The latency histogram: its layout, and what gets into it in which phase. */
#include <sys/eventfd.h>

#include "../worker.h"
#include "rig.h"

/*
 * HdrHistogram's countsIndexFor(), for lowest 1 and 2 significant digits,
 * with its own names and loops in place of bit tricks.
 */
static uint32_t counts_index(uint64_t value)
{
	const uint32_t sub_bucket_count = 256, sub_bucket_half_count = 128;
	uint32_t bucket = 0;

	while (value >> bucket >= sub_bucket_count)
		bucket++;
	return (bucket + 1) * sub_bucket_half_count +
	       (uint32_t)(value >> bucket) - sub_bucket_half_count;
}

static struct rp_worker *bare_worker(void)
{
	struct rp_worker *w = aligned_alloc(64, (sizeof(*w) + 63) & ~(size_t)63);

	CHECK(w);
	memset(w, 0, sizeof(*w));
	/* Exactly as long as it must be: ASan sees one count beyond. */
	w->hist = calloc(RP_HIST_COUNTS, sizeof(*w->hist));
	CHECK(w->hist);
	return w;
}

static void check_value(struct rp_worker *w, uint64_t ns)
{
	const uint64_t over = w->window.over;
	const uint32_t index = counts_index(ns);

	if (ns > RP_STAMP_MASK / 2) {	/* less than nothing, by two CPUs' counters */
		w->hist[0] = 41;
		rp_hist_add(w, ns);
		CHECK_EQ(w->hist[0], 42);
		CHECK_EQ(w->window.over, over);
		return;
	}
	if (ns >= RP_HIST_MAX_NS) {
		rp_hist_add(w, ns);
		CHECK_EQ(w->window.over, over + 1);
		return;
	}
	CHECK_OP(index, <, RP_HIST_COUNTS);
	w->hist[index] = 41;
	rp_hist_add(w, ns);
	CHECK_EQ(w->hist[index], 42);
	CHECK_EQ(w->window.over, over);
}

static void test_layout(void)
{
	struct rp_worker *w = bare_worker();
	uint64_t random = 3;

	trying("layout");
	CHECK_EQ(counts_index(RP_HIST_MAX_NS - 1), RP_HIST_COUNTS - 1);
	for (uint32_t bit = 0; bit < 64; bit++)
		for (int64_t d = -1; d <= 1; d++)
			check_value(w, (1ull << bit) + (uint64_t)d);
	for (uint64_t ns = 0; ns < 70000; ns++)
		check_value(w, ns);
	for (uint32_t i = 0; i < 100000; i++) {
		const uint64_t r = rp_random(&random);

		check_value(w, r >> (r & 63));
	}
	free(w->hist);
	free(w);
}

static uint64_t samples(const struct rp_worker *w)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < RP_HIST_COUNTS; i++)
		sum += rp_histogram(w)[i];
	return sum;
}

/* Sum of all latencies, from the middle of each bucket. */
static double total_ns(const struct rp_worker *w)
{
	double sum = 0;

	for (uint32_t i = 0; i < RP_HIST_COUNTS; i++) {
		const uint32_t bucket = i < 256 ? 0 : i / 128 - 1;
		const uint64_t low = (uint64_t)(i < 256 ? i : i % 128 + 128) << bucket;

		CHECK_EQ(counts_index(low), i);
		sum += (double)rp_histogram(w)[i] *
		       ((double)low + (double)((1ull << bucket) - 1) / 2);
	}
	return sum;
}

static void run_for(struct rp_worker *w, uint64_t ns, uint32_t rounds)
{
	const uint64_t until = now_ns() + ns;

	do
		CHECK_EQ(rp_batch(w, rounds), 0);
	while (now_ns() < until);
}

/* The clock of the stamps and CLOCK_MONOTONIC agree on how long the window was. */
static void check_clock(const struct rp_window *window)
{
	const double length = (double)(window->end_ns - window->begin_ns);
	const double off = (double)window->clock_ns / length - 1;

	if (!(off > -0.002 && off < 0.002))
		printf("the clock is off by %g over %g ns\n", off, length);
	CHECK(off > -0.002 && off < 0.002);
}

/*
 * Warm up, measure, stop: the window holds what was measured, and all of it.
 * Returns the sum of all latencies by the I/Os in flight over time, which are
 * the same by Little's law.
 */
static double one_window(const struct rp_config *cfg, const struct rp_file *files)
{
	struct rp_worker *w = open_worker(cfg, files);
	const struct rp_window *window = rp_window(w);
	uint64_t before, begin, end;
	double length, in_flight, little;

	run_for(w, 10000000, 10);
	CHECK_EQ(window->begin_ns, 0);
	before = rp_counters(w)->completed;
	rp_set_phase(w, RP_PHASE_MEASURE);
	begin = now_ns();
	/* What happens between two calls is not the window's. */
	CHECK_EQ(rp_batch(w, 1), 0);
	CHECK_EQ(samples(w) + window->over, rp_counters(w)->completed - before);
	run_for(w, 40000000, 10);
	CHECK_EQ(window->end_ns, 0);
	before = rp_counters(w)->completed - before;
	stop_and_drain(w, cfg);
	end = now_ns();

	CHECK_OP(window->begin_ns, >=, begin);
	CHECK_OP(window->end_ns, >, window->begin_ns);
	CHECK_OP(window->end_ns, <=, end);
	CHECK_EQ(window->completed, before);
	CHECK_EQ(samples(w) + window->over, before);
	length = (double)(window->end_ns - window->begin_ns);
	check_clock(window);
	in_flight = (double)window->area / length;
	CHECK(in_flight > 0 && in_flight <= cfg->depth);
	little = total_ns(w) / (double)window->area;
	rp_close(w);
	return little;
}

/*
 * A batch counts as begun at the middle of its stamps: a thread that loses its
 * CPU between two of them, on a busy machine, puts the law off.
 */
static void test_window(const struct rp_config *cfg, const struct rp_file *files)
{
	for (uint32_t i = 0; i < 5; i++) {
		const double little = one_window(cfg, files);

		if (little > 0.8 && little < 1.25)
			return;
		printf("[%s] sum of latencies is %.3f of the area\n", check_case, little);
	}
	CHECK(!"the law holds, once in five tries");
}

/* Stopped before anything was measured: no window, and no samples that would belong to none. */
static void test_unmeasured(const struct rp_config *cfg, const struct rp_file *files)
{
	struct rp_worker *w = open_worker(cfg, files);

	run_for(w, 1000000, 10);
	stop_and_drain(w, cfg);
	CHECK_EQ(rp_window(w)->begin_ns, 0);
	CHECK_EQ(rp_window(w)->end_ns, 0);
	CHECK_EQ(rp_window(w)->completed, 0);
	CHECK_EQ(rp_window(w)->over + samples(w), 0);
	CHECK_EQ(rp_window(w)->area, 0);
	rp_close(w);
}

/*
 * The thread is away, with I/O in flight, before its first measured round and
 * before it sees the stop: of that time, only what is inside the window counts.
 */
static void test_pause(uint32_t setup, uint32_t flags, struct rp_clock clock)
{
	const struct timespec longer = { .tv_nsec = 150000000 }, pause = { .tv_nsec = 30000000 };
	const uint64_t many = 1000;
	struct rp_file file[2] = {	/* one always ready, one that hangs */
		{ .fd = eventfd(100000000, EFD_SEMAPHORE), .blocks = 1 },
		{ .fd = eventfd(0, EFD_SEMAPHORE), .blocks = 1 },
	};
	struct rp_config cfg = config_of(RP_OP_RANDOM, 8, 8, 2);
	struct rp_worker *w;
	double length;

	trying("pause, setup %#x, flags %#x, clock %llu Hz", setup, flags,
	       (unsigned long long)clock.hz);
	cfg.complete = 1;
	cfg.flags = flags;
	cfg.clock = clock;
	cfg.setup_flags = setup;
	w = open_worker(&cfg, file);
	run_for(w, 1000000, 10);
	nanosleep(&longer, NULL);
	rp_set_phase(w, RP_PHASE_MEASURE);
	run_for(w, 1000000, 10);
	nanosleep(&pause, NULL);
	rp_set_phase(w, RP_PHASE_STOP);
	CHECK_EQ(rp_batch(w, 1), 1);
	length = (double)(rp_window(w)->end_ns - rp_window(w)->begin_ns);
	CHECK((double)rp_window(w)->area <= length * 8);
	CHECK((double)rp_window(w)->area > length * 3.9);
	check_clock(rp_window(w));
	CHECK_EQ(write(file[1].fd, &many, sizeof(many)), sizeof(many));
	stop_and_drain(w, &cfg);
	rp_close(w);
	close(file[0].fd);
	close(file[1].fd);
}

/* Stamps wrap after 2^48 ns, 78 hours; a latency across that is right. */
static void test_wrap(void)
{
	const uint64_t wrap = 1ull << 48;

	trying("wrap");
	CHECK_EQ(rp_since(1000, (600ull << RP_SLOT_BITS) | 3), 400);
	CHECK_EQ(rp_since(wrap + 5, ((wrap - 10) << RP_SLOT_BITS) | 3), 15);
	CHECK_EQ(rp_since(3 * wrap + 7, (7ull << RP_SLOT_BITS) | 3), 0);
}

int main(void)
{
	static const uint32_t depths[] = { 1, 5, 64 };
	const uint32_t fast = granted_flags(0, FAST_FLAGS);
	struct rp_clock clocks[2] = { { 0 }, { 0 } };	/* CLOCK_MONOTONIC, TSC */
	const bool has_tsc = !rp_calibrate(20000000, &clocks[1]);
	struct rp_file files[3];

	CHECK(has_tsc == (bool)RP_HAVE_TSC);
	test_layout();
	test_wrap();
	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t flags = RP_TIMED | (i & 1 ? RP_TIMED_EACH : 0);

		test_pause(0, flags, clocks[i / 2]);
		test_pause(fast, flags, clocks[i / 2]);
	}
	for (uint32_t i = 0; i < 3; i++)
		files[i] = (struct rp_file){ .fd = file_of(0, 64, 4096, i == 0), .blocks = 64 };
	for (uint32_t j = 0; j < 4 * 2 * 3 * 5; j++) {
		const uint32_t i = j / 4, kind = i % 5;
		struct rp_config cfg = config_of(kind ? 1 + i % 2 : RP_OP_NOP, depths[i / 10],
						 4096, kind == 0 ? 0 : kind == 2 ? 3 : 1);

		if (kind == 4)
			cfg.depth = 1;
		cfg.engine = kind < 3 ? RP_ENGINE_URING : kind - 2;
		cfg.submit = (cfg.depth + 1) / (1 + i % 2);
		if (cfg.submit > cfg.depth)
			cfg.submit = cfg.depth;
		cfg.complete = i & 4 ? 1 : cfg.submit;
		cfg.flags = RP_TIMED | (j & 1 ? RP_TIMED_EACH : 0);
		cfg.clock = clocks[j / 2 % 2];
		cfg.setup_flags = fast;
		trying("engine %u op %u depth %u/%u/%u files %u flags %#x clock %llu Hz",
		       cfg.engine, cfg.op, cfg.depth, cfg.submit, cfg.complete, cfg.nr_files,
		       cfg.flags, (unsigned long long)cfg.clock.hz);
		test_window(&cfg, files);
		test_unmeasured(&cfg, files);
	}
	for (uint32_t i = 0; i < 3; i++)
		close(files[i].fd);
	return 0;
}
