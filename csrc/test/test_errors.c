/* SPDX-License-Identifier: MIT */
/* I/O that fails while the run goes on: counted by kind, and never as I/O. */
#include <pthread.h>

#include "failing.h"

/* The file shrinks while it is read: short reads and empty ones are neither I/Os nor bytes. */
static void test_short(uint32_t engine, uint32_t nr_files, uint32_t flags)
{
	struct rp_config cfg = config(engine, nr_files);
	const uint32_t bad = nr_files - 1;
	struct rp_worker *w;
	uint64_t completed, sum = 0;
	char path[64];

	trying("short reads, engine %u, %u files, flags %#x", engine, nr_files, flags);
	open_files(0);
	cfg.flags = flags;
	w = open_worker(&cfg, files);
	rp_set_phase(w, RP_PHASE_MEASURE);
	CHECK_EQ(rp_batch(w, 100), 0);
	CHECK_EQ(rp_counters(w)->failed, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", files[bad].fd);
	CHECK_EQ(truncate(path, 10 * SIZE + SIZE / 2), 0);
	CHECK_EQ(rp_batch(w, 300), 0);
	completed = rp_counters(w)->completed;
	CHECK_EQ(truncate(path, 0), 0);
	CHECK_EQ(rp_batch(w, 300), 0);
	if (nr_files > 1)
		CHECK_OP(rp_counters(w)->completed, >, completed);
	else	/* but for what was under way */
		CHECK_OP(rp_counters(w)->completed, <=, completed + cfg.depth);
	completed = rp_counters(w)->completed;
	stop_and_drain(w, &cfg);
	check_only_error(w, 0, bad);
	if (flags & RP_TIMED) {
		for (uint32_t i = 0; i < RP_HIST_COUNTS; i++)
			sum += rp_histogram(w)[i];
		CHECK_EQ(sum + rp_window(w)->over, rp_window(w)->completed);
		CHECK_EQ(rp_window(w)->completed, completed);
	}
	rp_close(w);
	close_files();
}

/* A reporter, beside the run: once there is a count, it is known of what. */
static void *error_reader(void *arg)
{
	struct rp_worker *w = arg;
	uint64_t count;

	do {
		const struct rp_error *e = &rp_errors(w)[0];

		count = peek(&e->count);
		if (!count)
			continue;
		CHECK_EQ(__atomic_load_n(&e->code, __ATOMIC_RELAXED), -EISDIR);
		CHECK_EQ(__atomic_load_n(&e->file, __ATOMIC_RELAXED), 1);
	} while (count < 10);
	return NULL;
}

/* A directory opens, and reads of it fail with an error that is its own affair. */
static void test_lasting(uint32_t flags, uint32_t setup)
{
	struct rp_config cfg = config(RP_ENGINE_URING, FILES);
	struct rp_worker *w;
	pthread_t reader;

	trying("EISDIR, flags %#x setup %#x", flags, setup);
	open_files(0);
	close(files[1].fd);
	files[1].fd = open("/", O_RDONLY | O_DIRECTORY);
	cfg.flags = flags;
	cfg.setup_flags = setup;
	w = open_worker(&cfg, files);
	CHECK_EQ(pthread_create(&reader, NULL, error_reader, w), 0);
	for (uint32_t i = 0; i < 10000 && rp_counters(w)->failed < 10; i++)
		CHECK_EQ(rp_batch(w, 10), 0);
	CHECK_EQ(pthread_join(reader, NULL), 0);
	CHECK_EQ(rp_batch(w, 50), 0);
	check_only_error(w, EISDIR, 1);
	CHECK_OP(rp_counters(w)->completed, >, rp_counters(w)->failed);
	stop_and_drain(w, &cfg);
	rp_close(w);
	close_files();
}

/* More kinds of failure than places: the first ones keep theirs, nothing is lost. */
static void test_table(void)
{
	struct rp_worker *w = aligned_alloc(64, (sizeof(*w) + 63) & ~(size_t)63);
	uint64_t sum = 0;

	trying("table");
	CHECK(w);
	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < 40; i++)
		for (uint32_t n = 0; n < 3; n++)
			rp_account_failure(w, i / 2, i % 2 ? 0 : -EIO);
	for (uint32_t i = 0; i < RP_ERRORS; i++)
		sum += w->errors[i].count;
	CHECK_EQ(sum, 120);
	CHECK_EQ(w->counters.failed, 120);
	CHECK_EQ(w->counters.shorts, 60);
	for (uint32_t i = 0; i < RP_ERRORS - 1; i++) {
		CHECK_EQ(w->errors[i].count, 3);
		CHECK_EQ(w->errors[i].file, i / 2);
		CHECK_EQ(w->errors[i].code, i % 2 ? 0 : -EIO);
	}
	CHECK_EQ(w->fatal, 0);
	rp_account_failure(w, 7, -ENODEV);
	rp_account_failure(w, 8, -EINVAL);
	CHECK_EQ(w->fatal, ENODEV);	/* the first one */
	CHECK_EQ(w->fatal_file, 7);
	free(w);
}

/* What entering may answer: only some of it ends the run. */
static void test_policy(void)
{
	static const int pass[] = { -EINTR, -EAGAIN, -EBUSY };
	static const int end[] = { -EBADR, -ENXIO, -EEXIST, -EFAULT, -EOWNERDEAD };
	struct rp_worker *w = aligned_alloc(64, (sizeof(*w) + 63) & ~(size_t)63);
	uint32_t file;

	trying("policy");
	CHECK(w);
	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < sizeof(pass) / sizeof(*pass); i++)
		CHECK_EQ(rp_enter_error(w, pass[i]), 0);
	CHECK_EQ(rp_fault(w, &file), RP_STEP_NONE);
	for (uint32_t i = 0; i < sizeof(end) / sizeof(*end); i++) {
		CHECK_EQ(rp_enter_error(w, end[i]), end[i]);
		CHECK_EQ(rp_fault(w, &file), RP_STEP_SUBMIT);
	}
	free(w);
}

int main(void)
{
	uint32_t sqpoll;

	fast = granted_flags(0, FAST_FLAGS);
	sqpoll = granted_flags(IORING_SETUP_SQPOLL, SQPOLL_FLAGS);
	test_table();
	test_policy();
	for (uint32_t engine = RP_ENGINE_URING; engine <= RP_ENGINE_SYNC; engine++) {
		for (uint32_t flags = 0; flags <= RP_TIMED; flags += RP_TIMED) {
			test_short(engine, 1, flags);
			test_short(engine, FILES, flags);
		}
	}
	test_short(RP_ENGINE_URING, 2, RP_FIXED_BUFS | RP_FIXED_FILES);
	test_lasting(0, fast);
	test_lasting(RP_FIXED_FILES | RP_TIMED, 0);
	test_lasting(RP_FIXED_FILES, sqpoll);
	return 0;
}
