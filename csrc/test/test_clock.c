/* SPDX-License-Identifier: MIT */
/* The time-stamp counter: calibrated, refused, and found out when it is not what it was said to be. */
#include <sys/prctl.h>

#include "../reap.h"
#include "rig.h"

static void sleep_ns(long ns)
{
	const struct timespec pause = { .tv_nsec = ns };

	nanosleep(&pause, NULL);
}

/* By how much two lengths differ, relatively. */
static double off(uint64_t got, uint64_t want)
{
	const double x = (double)got / (double)want - 1;

	return x < 0 ? -x : x;
}

/* Each calibration finds the rate that the others find, and mult is that rate. */
static void test_rate(struct rp_clock *clock)
{
	static const uint64_t lengths[] = { 2000000, 20000000, 50000000 };
	uint64_t first = 0;

	for (uint32_t i = 0; i < 3; i++) {
		const uint64_t begin = now_ns();

		trying("calibration over %llu ns", (unsigned long long)lengths[i]);
		CHECK_EQ(rp_calibrate(lengths[i], clock), 0);
		CHECK_OP(now_ns() - begin, >=, lengths[i]);
		CHECK_OP(clock->hz, >, 1000000);
		if (!first)
			first = clock->hz;
		CHECK(off(clock->hz, first) < 0.002);
		CHECK(off(rp_ticks_to_ns(clock, clock->hz), 1000000000) < 1e-6);
		/* 100 years of it: nothing overflows. */
		CHECK(off(rp_ticks_to_ns(clock, clock->hz * 3155760000u), 3155760000ull * 1000000000u) < 1e-6);
	}
}

/* Stamps of both clocks, taken side by side over 50 ms. */
static void test_stamps(const struct rp_clock *clock)
{
	struct rp_worker w = { .cfg.clock = *clock };
	uint64_t ns[2], stamp[2], direct;

	trying("stamps");
	rp_clock_open(&w);
	for (uint32_t i = 0; i < 2; i++) {
		sleep_ns(50000000);
		rp_moment(&w, &ns[i], &stamp[i]);
		direct = rp_stamp_by(&w, RP_STAMP_EACH_TSC);
		CHECK_OP(direct, >=, stamp[i]);
		CHECK(off(direct, ns[i] - w.epoch_ns) < 0.2);
		CHECK(off(rp_stamp_by(&w, RP_STAMP_ROUND), direct) < 0.2);
	}
	CHECK(off(stamp[1], ns[1] - w.epoch_ns) < 0.002);
	CHECK(off(stamp[1] - stamp[0], ns[1] - ns[0]) < 0.002);
	w.cfg.clock = (struct rp_clock){ 0 };
	rp_moment(&w, &ns[0], &stamp[0]);
	CHECK_EQ(stamp[0], ns[0] - w.epoch_ns);
	CHECK_OP(rp_stamp_by(&w, RP_STAMP_ROUND), >=, stamp[0]);
	CHECK_OP(rp_stamp_by(&w, RP_STAMP_EACH), <=, now_ns() - w.epoch_ns);
}

#define BATCH	64u

/* How many different stamps there are among the SQEs of a round; they only grow. */
static uint32_t stamps_of_sqes(const struct rp_worker *w)
{
	uint64_t last = w->ring.sq.sqes[0].user_data >> RP_SLOT_BITS;
	uint32_t n = 1;

	for (uint32_t i = 1; i < BATCH; i++) {
		const uint64_t stamp = w->ring.sq.sqes[i].user_data >> RP_SLOT_BITS;

		CHECK_OP(stamp, >=, last);
		n += stamp != last;
		last = stamp;
	}
	return n;
}

/* How many different latencies CQEs come to that were all stamped alike, 100 ns ago. */
static uint32_t latencies_of_cqes(struct rp_worker *w, uint32_t mode)
{
	struct io_uring_cqe cqes[BATCH] = { 0 };
	const uint64_t now = rp_stamp_by(w, mode);
	const struct io_uring_cq cq = w->ring.cq;
	uint64_t *const hist = w->hist, counts[RP_HIST_COUNTS] = { 0 };
	uint32_t n = 0, sum = 0;

	for (uint32_t i = 0; i < BATCH; i++)
		cqes[i].user_data = (now - 100) << RP_SLOT_BITS;
	w->ring.cq.cqes = cqes;
	w->ring.cq.ring_mask = BATCH - 1;
	w->hist = counts;
	record(w, cqes + 7, BATCH - 7, BATCH, 0, mode, false);
	w->hist = hist;
	w->ring.cq = cq;
	for (uint32_t i = 0; i < RP_HIST_COUNTS; i++) {
		n += counts[i] > 0;
		sum += (uint32_t)counts[i];
	}
	CHECK_EQ(sum, BATCH);
	return n;
}

/* One stamp for a round and one for a reap, or one for each. */
static void test_each(const struct rp_clock *clock, uint32_t each, uint32_t nr_files)
{
	struct rp_config cfg = config_of(nr_files ? RP_OP_RANDOM : RP_OP_NOP, BATCH, 512, nr_files);
	struct rp_file files[2];
	struct rp_worker *w;
	uint32_t sqes, cqes;

	trying("each %u, clock %llu Hz, %u files", each, (unsigned long long)clock->hz, nr_files);
	for (uint32_t i = 0; i < nr_files; i++)
		files[i] = (struct rp_file){ .fd = file_of(0, 8, 512, 0), .blocks = 8 };
	cfg.flags = RP_TIMED | (each ? RP_TIMED_EACH : 0);
	cfg.clock = *clock;
	w = open_worker(&cfg, files);
	CHECK_EQ(rp_stamp_mode(&cfg), !each ? RP_STAMP_ROUND : clock->hz ? RP_STAMP_EACH_TSC : RP_STAMP_EACH);
	CHECK_EQ(rp_batch(w, 1), 0);
	sqes = stamps_of_sqes(w);
	cqes = latencies_of_cqes(w, rp_stamp_mode(&cfg));
	if (each) {
		CHECK_OP(sqes, >, BATCH / 4);
		CHECK_OP(cqes, >, 4);
	} else {
		CHECK_EQ(sqes, 1);
		CHECK_EQ(cqes, 1);
	}
	stop_and_drain(w, &cfg);
	rp_close(w);
	for (uint32_t i = 0; i < nr_files; i++)
		close(files[i].fd);
}

/* A clock that runs otherwise than calibrated shows in the window, and its latencies with it. */
static void test_wrong(const struct rp_clock *clock, int32_t percent)
{
	struct rp_config cfg = config_of(RP_OP_NOP, 1, 0, 0);
	const struct rp_window *window;
	struct rp_worker *w;
	double got;

	trying("clock off by %d %%", percent);
	cfg.flags = RP_TIMED;
	cfg.clock = *clock;
	cfg.clock.mult += (uint64_t)((int64_t)clock->mult / 100 * percent);
	w = open_worker(&cfg, NULL);
	rp_set_phase(w, RP_PHASE_MEASURE);
	CHECK_EQ(rp_batch(w, 1), 0);
	sleep_ns(30000000);
	stop_and_drain(w, &cfg);
	window = rp_window(w);
	got = 100 * ((double)window->clock_ns / (double)(window->end_ns - window->begin_ns) - 1);
	CHECK(got > percent - 0.2 && got < percent + 0.2);
	rp_close(w);
}

static void refused(struct rp_config cfg)
{
	struct rp_report report;
	struct rp_worker *w;

	CHECK_EQ(rp_open(&cfg, NULL, &report, &w), -EINVAL);
	CHECK_EQ(report.step, RP_STEP_CONFIG);
}

static void test_refused(const struct rp_clock *clock)
{
	struct rp_config cfg = config_of(RP_OP_NOP, 1, 0, 0);

	trying("a rate without a factor, and the other way round");
	cfg.clock.hz = clock->hz;
	refused(cfg);
	cfg.clock = (struct rp_clock){ .mult = clock->mult };
	refused(cfg);
	trying("a stamp for each, and no latency");
	cfg.clock = *clock;
	cfg.flags = RP_TIMED_EACH;
	refused(cfg);
}

/* A process that may not read the counter is told so, and not killed. */
static void forbidden(void)
{
	struct rp_clock clock;

	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		return;
	CHECK_EQ(rp_calibrate(2000000, &clock), -EACCES);
	CHECK_EQ(clock.hz, 0);
	CHECK_EQ(prctl(PR_SET_TSC, PR_TSC_ENABLE), 0);
	CHECK_EQ(rp_calibrate(2000000, &clock), 0);
}

int main(void)
{
	const struct rp_clock none = { 0 };
	struct rp_clock clock;

	if (!RP_HAVE_TSC) {
		CHECK_EQ(rp_calibrate(2000000, &clock), -EOPNOTSUPP);
		skip("this architecture has no time-stamp counter");
	}
	test_rate(&clock);
	test_stamps(&clock);
	test_refused(&clock);
	granted_flags(0, 0);
	for (uint32_t i = 0; i < 2 * 2 * 3; i++)
		test_each(i & 1 ? &clock : &none, i / 2 % 2, i / 4);
	test_wrong(&clock, 0);
	test_wrong(&clock, 5);
	test_wrong(&clock, -3);
	trying("PR_SET_TSC");
	in_child(forbidden);
	return 0;
}
