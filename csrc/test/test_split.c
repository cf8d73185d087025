/* SPDX-License-Identifier: MIT */
/* Rounds taken apart: how often, in which phase, and that the parts make the whole. */
#include "../worker.h"
#include "rig.h"

#define ROUNDS 60000u

static struct rp_split split_of(const struct rp_worker *w)
{
	struct rp_split s;

	rp_get_split(w, &s);
	return s;
}

/* One round per call, so that they can be counted; returns how many of them were recorded. */
static uint64_t rounds_one_by_one(struct rp_worker *w, uint32_t rounds, uint64_t hits[4])
{
	const uint64_t before = split_of(w).rounds;
	uint64_t last = before;

	for (uint32_t i = 0; i < rounds; i++) {
		CHECK_EQ(rp_batch(w, 1), 0);
		if (split_of(w).rounds != last) {
			last = split_of(w).rounds;
			hits[i % 4]++;
		}
	}
	return last - before;
}

/* About one in RP_SPLIT_EVERY, whatever the length of a batch, at no fixed distance. */
static void test_rate(const struct rp_config *cfg, const struct rp_file *files)
{
	struct rp_worker *w = open_worker(cfg, files);
	uint64_t hits[4] = { 0 }, rounds;
	const uint64_t want = ROUNDS / RP_SPLIT_EVERY;

	CHECK_EQ(rounds_one_by_one(w, 2000, hits), 0);	/* not measured yet */
	rp_set_phase(w, RP_PHASE_MEASURE);
	rounds = rounds_one_by_one(w, ROUNDS, hits);
	CHECK_OP(rounds, >, want * 3 / 4);
	CHECK_OP(rounds, <, want * 5 / 4);
	for (uint32_t i = 0; i < 4; i++)
		CHECK_OP(hits[i], >, want / 16);
	for (uint32_t left = ROUNDS; left; left -= ROUNDS / 10)
		CHECK_EQ(rp_batch(w, ROUNDS / 10), 0);
	rounds = split_of(w).rounds;
	CHECK_OP(rounds, >, 2 * want * 3 / 4);
	CHECK_OP(rounds, <, 2 * want * 5 / 4);
	stop_and_drain(w, cfg);
	CHECK_EQ(split_of(w).rounds, rounds);
	rp_close(w);
}

/*
 * What the parts come to per I/O, times the I/Os, is the time that passed, more
 * or less: a busy machine takes the CPU away inside of the rounds that are
 * taken apart, or outside. Returns the ratio.
 */
static double sum_of_parts(const struct rp_config *cfg, const struct rp_file *files)
{
	struct rp_worker *w = open_worker(cfg, files);
	const bool waits = cfg->submit == cfg->depth;
	uint64_t until, sum;
	struct rp_split s;
	double whole;

	rp_set_phase(w, RP_PHASE_MEASURE);
	until = now_ns() + 100000000;
	do
		CHECK_EQ(rp_batch(w, 500), 0);
	while (now_ns() < until || split_of(w).rounds < 20);
	stop_and_drain(w, cfg);
	s = split_of(w);
	CHECK_OP(s.ios, >, 0);
	CHECK_OP(s.ios, <=, s.rounds * cfg->depth);
	if (cfg->op == RP_OP_NOP || waits)
		CHECK_EQ(s.waiting, waits ? s.rounds : 0);
	CHECK_OP(s.read_ps, >, 100);
	CHECK_OP(s.read_ps, <, 100000000);
	CHECK_OP(s.enter_ns, >, 0);
	sum = s.prepare_ns + s.enter_ns + s.reap_ns;
	whole = (double)sum / (double)s.ios * (double)rp_window(w)->completed /
		(double)(rp_window(w)->end_ns - rp_window(w)->begin_ns);
	rp_close(w);
	return whole;
}

static void test_sum(const struct rp_config *cfg, const struct rp_file *files)
{
	for (uint32_t i = 0; i < 12; i++) {
		const double whole = sum_of_parts(cfg, files);

		if (whole > 0.3 && whole < 2.2)
			return;
		printf("the parts make %.2f of the whole\n", whole);
	}
	CHECK(!"the parts make the whole, once in twelve tries");
}

/* Each part is its sum without a reading per round, and never less than nothing. */
static void test_subtraction(void)
{
	const struct rp_config cfg = config_of(RP_OP_NOP, 1, 4096, 0);
	const uint64_t at[3][4] = {
		{ 1000, 1040, 2040, 2065 },
		{ 5000, 5050, 6050, 6075 },
		{ 9000, 8990, 9100, 9090 },	/* from CPU to CPU */
	};
	struct rp_worker *w = open_worker(&cfg, NULL);
	struct rp_split s;

	trying("subtraction");
	for (uint32_t i = 0; i < 3; i++)
		rp_split_add(w, at[i], 10, true);
	CHECK_EQ(split_of(w).rounds, 0);	/* the window is not open */
	rp_set_phase(w, RP_PHASE_MEASURE);
	CHECK_EQ(rp_batch(w, 1), 0);
	for (uint32_t i = 0; i < 3; i++)
		rp_split_add(w, at[i], 10, i != 1);
	w->split_reads = 16 * 20 + 8;		/* 20.5 a reading, 61.5 in three rounds */
	for (uint32_t tsc = 0; tsc < 2; tsc++) {
		const uint64_t tick = tsc ? 4 : 1;	/* ns */

		w->cfg.clock.hz = tsc ? 250000000 : 0;
		w->cfg.clock.mult = tsc ? 4ull << RP_CLOCK_SHIFT : 0;
		s = split_of(w);
		CHECK_EQ(s.rounds, 3);
		CHECK_EQ(s.waiting, 2);
		CHECK_EQ(s.ios, 30);
		CHECK_EQ(s.prepare_ns, (40 + 50 - 61) * tick);
		CHECK_EQ(s.enter_ns, (1000 + 1000 + 110 - 61) * tick);
		CHECK_EQ(s.reap_ns, 0);		/* 50, less than the readings */
		CHECK_EQ(s.read_ps, 20500 * tick);
	}
	w->cfg.clock = (struct rp_clock){ 0 };
	stop_and_drain(w, &cfg);
	rp_close(w);
}

/*
 * NOPs without latency are prepared by doing nothing. What is left of that part
 * is the reading of the clock if that is not subtracted, and nearly nothing if
 * it is; once in many tries, for a busy machine takes its time anywhere.
 */
__attribute__((unused))
static void test_nothing_takes_nothing(const struct rp_clock *clock)
{
	struct rp_config cfg = config_of(RP_OP_NOP, 8, 4096, 0);
	uint64_t least = UINT64_MAX, read_ps = 0;
	struct rp_worker *w;

	cfg.clock = *clock;
	w = open_worker(&cfg, NULL);
	rp_set_phase(w, RP_PHASE_MEASURE);
	CHECK_EQ(rp_batch(w, 1), 0);
	for (uint32_t i = 0; i < 200; i++) {
		struct rp_split s;

		memset(&w->split, 0, sizeof(w->split));
		for (uint32_t j = 0; j < 20; j++)
			CHECK_EQ(w->engine->sample(w, true), 0);
		s = split_of(w);
		CHECK_EQ(s.rounds, 20);
		read_ps = s.read_ps;
		if (s.prepare_ns * 1000 / s.rounds < least)
			least = s.prepare_ns * 1000 / s.rounds;
	}
	trying("nothing takes %llu ps, a reading of %llu Hz %llu ps", (unsigned long long)least,
	       (unsigned long long)clock->hz, (unsigned long long)read_ps);
	CHECK_OP(least, <, read_ps * 3 / 4);
	stop_and_drain(w, &cfg);
	rp_close(w);
}

int main(void)
{
	const uint32_t fast = granted_flags(0, FAST_FLAGS);
	struct rp_clock clocks[2] = { { 0 }, { 0 } };
	struct rp_file files[2];

	CHECK_EQ(rp_calibrate(20000000, &clocks[1]) == 0, RP_HAVE_TSC);
	test_subtraction();
#ifndef __SANITIZE_THREAD__	/* which takes longer than the clock */
	for (uint32_t i = 0; i < 2; i++)
		test_nothing_takes_nothing(&clocks[i]);
#endif
	for (uint32_t i = 0; i < 2; i++)
		files[i] = (struct rp_file){ .fd = file_of(0, 64, 4096, 0), .blocks = 64 };
	for (uint32_t i = 0; i < 2 * 5; i++) {
		const uint32_t kind = i / 2;
		struct rp_config cfg = config_of(kind < 2 ? RP_OP_NOP : RP_OP_RANDOM,
						 kind == 4 ? 1 : 8, 4096, kind < 2 ? 0 : 2);

		cfg.engine = kind < 3 ? RP_ENGINE_URING : kind - 2;
		cfg.submit = kind == 1 ? 2 : cfg.depth;
		cfg.setup_flags = fast;
		cfg.clock = clocks[i % 2];
		trying("engine %u op %u submit %u clock %llu Hz", cfg.engine, cfg.op, cfg.submit,
		       (unsigned long long)cfg.clock.hz);
		test_rate(&cfg, files);
		test_sum(&cfg, files);
	}
	return 0;
}
