/* SPDX-License-Identifier: MIT */
/*
 * Errors that no other I/O to the same file will escape: they end the run,
 * name the file, and the worker drains all the same.
 */
#include <sys/mman.h>

#include "failing.h"

/* The run must end by itself, in time, with this errno. */
static void must_end(struct rp_worker *w, const struct rp_config *cfg, int error,
		     uint32_t step, uint32_t file)
{
	uint32_t where = 0xffffffff;
	int ret = 0;

	CHECK_EQ(rp_fault(w, &where), RP_STEP_NONE);
	for (uint32_t i = 0; !ret && i < 1000; i++) {
		ret = rp_batch(w, 5);
		check_counters(w, cfg, -1);
	}
	CHECK_EQ(ret, -error);
	CHECK_EQ(rp_fault(w, &where), step);
	if (step == RP_STEP_REAP)
		CHECK_EQ(where, file);
	/* It stays at that. Another call also submits what was left in the ring. */
	if (cfg->setup_flags & IORING_SETUP_SUBMIT_ALL)
		CHECK_EQ(rp_batch(w, 5), -error);
	stop_and_drain(w, cfg);
	if (step == RP_STEP_REAP)
		check_only_error(w, (uint32_t)error, file);
	rp_close(w);
}

static void test_closed_file(uint32_t engine, uint32_t bad, uint32_t setup)
{
	struct rp_config cfg = config(engine, FILES);
	struct rp_worker *w;

	trying("EBADF, engine %u, file %u, setup %#x", engine, bad, setup);
	open_files(0);
	cfg.setup_flags = setup;
	w = open_worker(&cfg, files);
	CHECK_EQ(rp_batch(w, 10), 0);
	close(files[bad].fd);
	/* io_submit(2) refuses it itself, and does not say which one it was. */
	must_end(w, &cfg, EBADF, engine == RP_ENGINE_AIO ? RP_STEP_SUBMIT : RP_STEP_REAP, bad);
	close_files();
}

/* Blocks that are no multiple of the sector. */
static void test_misaligned(uint32_t engine)
{
	struct rp_config cfg = config(engine, 1);

	trying("EINVAL, engine %u", engine);
	open_files(1);
	if (fcntl(files[0].fd, F_GETFL) & O_DIRECT) {
		cfg.block_size = 513;
		must_end(open_worker(&cfg, files), &cfg, EINVAL, RP_STEP_REAP, 0);
	}
	close_files();
}

/* A page cache cannot be polled; the kernel says so in each completion. */
static void test_unpollable(void)
{
	struct rp_config cfg = config(RP_ENGINE_URING, 1);

	trying("EOPNOTSUPP");
	open_files(0);
	cfg.setup_flags |= IORING_SETUP_IOPOLL;
	must_end(open_worker(&cfg, files), &cfg, EOPNOTSUPP, RP_STEP_REAP, 0);
	close_files();
}

static void test_unmapped(uint32_t engine)
{
	struct rp_config cfg = config(engine, 1);
	struct rp_worker *w;

	trying("EFAULT, engine %u", engine);
	open_files(0);
	w = open_worker(&cfg, files);
	CHECK_EQ(mprotect(w->buffers, w->buffer_bytes, PROT_NONE), 0);
	must_end(w, &cfg, EFAULT, RP_STEP_REAP, 0);
	close_files();
}

/*
 * The kernel refuses an SQE and, without SUBMIT_ALL, stops there: the SQEs
 * behind it stay in the ring, are nobody's in flight, and are never lost.
 */
static void test_refused(uint32_t nr_files, uint32_t setup)
{
	struct rp_config cfg = config(RP_ENGINE_URING, nr_files);
	struct rp_worker *w;

	trying("refused SQE, %u files, setup %#x", nr_files, setup);
	open_files(0);
	cfg.setup_flags = setup;
	w = open_worker(&cfg, files);
	CHECK_EQ(rp_batch(w, 10), 0);
	w->ring.sq.sqes[3].ioprio = 0xffff;
	must_end(w, &cfg, EINVAL, RP_STEP_REAP,
		 w->slots[w->ring.sq.sqes[3].user_data & RP_SLOT_MASK].file);
	close_files();
}

/* An error that others escape ends the run when that was asked for. */
static void test_first_error(uint32_t engine)
{
	struct rp_config cfg = config(engine, 1);
	struct rp_worker *w;
	uint32_t file = 7;
	int ret = 0;

	trying("first error, engine %u", engine);
	open_files(0);
	files[0].blocks = 128;	/* half of them behind its end */
	cfg.flags |= RP_FIRST_ERROR;
	w = open_worker(&cfg, files);
	for (uint32_t i = 0; !ret && i < 1000; i++)
		ret = rp_batch(w, 5);
	CHECK_EQ(ret, -EIO);
	CHECK_EQ(rp_fault(w, &file), RP_STEP_REAP);
	CHECK_EQ(file, 0);
	/* What was in flight with it may fail as well, and no more than that. */
	CHECK(rp_counters(w)->failed >= 1 && rp_counters(w)->failed <= cfg.depth);
	stop_and_drain(w, &cfg);
	CHECK_EQ(rp_errors(w)[0].code, 0);
	CHECK_EQ(rp_errors(w)[0].count, rp_counters(w)->shorts);
	rp_close(w);
	close_files();
}

int main(void)
{
	uint32_t sqpoll;

	fast = granted_flags(0, FAST_FLAGS);
	sqpoll = granted_flags(IORING_SETUP_SQPOLL, SQPOLL_FLAGS);
	for (uint32_t engine = RP_ENGINE_URING; engine <= RP_ENGINE_SYNC; engine++) {
		for (uint32_t bad = 0; bad < FILES; bad++)
			test_closed_file(engine, bad, fast);
		test_misaligned(engine);
		test_unmapped(engine);
		test_first_error(engine);
	}
	test_closed_file(RP_ENGINE_URING, 1, 0);
	test_closed_file(RP_ENGINE_URING, 1, sqpoll);
	test_unpollable();
	for (uint32_t nr_files = 1; nr_files <= FILES; nr_files++) {
		test_refused(nr_files, fast);
		test_refused(nr_files, fast & ~IORING_SETUP_SUBMIT_ALL);
		test_refused(nr_files, sqpoll);
	}
	return 0;
}
