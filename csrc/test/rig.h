/* SPDX-License-Identifier: MIT */
/* What the C tests open: files with known contents, configurations, workers. */
#ifndef RP_TEST_RIG_H
#define RP_TEST_RIG_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include <liburing.h>

#include "../ringpeak.h"
#include "check.h"

/* The flags that cmd asks for by default, and with an SQ thread. */
#define FAST_FLAGS (IORING_SETUP_NO_SQARRAY | IORING_SETUP_DEFER_TASKRUN |	\
		    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN |	\
		    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE)
#define SQPOLL_FLAGS (IORING_SETUP_NO_SQARRAY | IORING_SETUP_SUBMIT_ALL |	\
		      IORING_SETUP_CQSIZE)

__attribute__((unused))
static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* What of the wanted flags this kernel grants; the test is skipped without io_uring. */
__attribute__((unused))
static uint32_t granted_flags(uint32_t required, uint32_t wanted)
{
	uint32_t granted, features;
	int ret = rp_probe_setup(required, wanted, &granted, &features);

	if (ret == -EPERM || ret == -ENOSYS)
		skip("io_uring is not to be had here: %s", strerror(-ret));
	CHECK_EQ(ret, 0);
	return granted;
}

__attribute__((unused))
static struct rp_config config_of(uint32_t op, uint32_t depth, uint32_t block_size,
				  uint32_t nr_files)
{
	return (struct rp_config){
		.op = op, .depth = depth, .submit = depth, .complete = depth,
		.block_size = block_size, .nr_files = nr_files, .buffer_fd = -1,
		.seed = 1,
	};
}

/*
 * An unlinked file in $TMPDIR or /var/tmp. The first 8 bytes of block i hold
 * tag + i, and behind the whole blocks is half a block of ones. With direct
 * (O_DIRECT) the descriptor is buffered where that is not supported.
 */
__attribute__((unused))
static int file_of(uint64_t tag, uint32_t blocks, uint32_t block_size, int direct)
{
	const char *dir = getenv("TMPDIR");
	uint8_t *block = calloc(1, block_size);
	char path[256];
	int fd, again;

	snprintf(path, sizeof(path), "%s/ringpeak-test-XXXXXX", dir ? dir : "/var/tmp");
	fd = mkstemp(path);
	CHECK(fd >= 0 && block);
	CHECK_EQ(unlink(path), 0);
	for (uint32_t i = 0; i < blocks; i++) {
		const uint64_t mark = tag + i;

		memcpy(block, &mark, sizeof(mark) < block_size ? sizeof(mark) : block_size);
		CHECK_EQ(pwrite(fd, block, block_size, (off_t)i * block_size), block_size);
	}
	memset(block, 0xff, block_size);
	CHECK_EQ(pwrite(fd, block, block_size / 2, (off_t)blocks * block_size),
		 block_size / 2);
	free(block);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | (direct ? O_DIRECT : 0));
	if (again < 0)
		again = open(path, O_RDONLY);
	CHECK(again >= 0);
	close(fd);
	return again;
}

__attribute__((unused))
static struct rp_worker *open_worker(const struct rp_config *cfg,
				     const struct rp_file *files)
{
	struct rp_report report;
	struct rp_worker *w = NULL;
	int ret = rp_open(cfg, files, &report, &w);

	if (ret)
		printf("rp_open: %s at step %u\n", strerror(-ret), report.step);
	CHECK_EQ(ret, 0);
	CHECK(w);
	CHECK_EQ(report.step, RP_STEP_NONE);
	return w;
}

static inline uint64_t peek(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

/* What a file has in flight, never more than it had; exact at rest, 0 when it is not kept. */
__attribute__((unused))
static uint64_t in_flight_of(const struct rp_worker *w, uint32_t file)
{
	const struct rp_tally *t = &rp_tallies(w)[file];
	const uint64_t taken = peek(&t->taken), back = peek(&t->completed) + peek(&t->failed);

	return taken > back ? taken - back : 0;
}

/* With several files, what became of the I/O to each adds up to the totals. */
__attribute__((unused))
static void check_tallies(const struct rp_worker *w, const struct rp_config *cfg)
{
	uint64_t completed = 0, failed = 0;

	if (cfg->nr_files < 2)
		return;
	for (uint32_t i = 0; i < cfg->nr_files; i++) {
		completed += rp_tallies(w)[i].completed;
		failed += rp_tallies(w)[i].failed;
	}
	CHECK_EQ(completed, rp_counters(w)->completed);
	CHECK_EQ(failed, rp_counters(w)->failed);
}

/* What must hold between calls; flying is what must be in flight, or -1. */
__attribute__((unused))
static void check_counters(struct rp_worker *w, const struct rp_config *cfg, int64_t flying)
{
	const struct rp_counters *c = rp_counters(w);
	const uint64_t over = c->submitted - c->completed - c->failed;
	const uint64_t size = cfg->op == RP_OP_NOP ? 0 : cfg->block_size;
	uint64_t by_kind = 0;

	CHECK_OP(over, <=, cfg->depth);
	if (flying >= 0)
		CHECK_EQ(over, flying);
	CHECK_EQ(c->bytes, c->completed * size);
	CHECK_EQ(c->overflow, 0);
	CHECK_OP(c->shorts, <=, c->failed);
	for (uint32_t i = 0; i < RP_ERRORS; i++)
		by_kind += rp_errors(w)[i].count;
	CHECK_EQ(by_kind, c->failed);
	check_tallies(w, cfg);
}

/* Stop, see that nothing more is submitted, drain, and check that all is at rest. */
__attribute__((unused))
static void stop_and_drain(struct rp_worker *w, const struct rp_config *cfg)
{
	uint64_t submitted;

	rp_set_phase(w, RP_PHASE_STOP);
	submitted = rp_counters(w)->submitted;
	for (uint32_t i = 0; i < 3; i++)
		CHECK_EQ(rp_batch(w, 5), 1);
	CHECK_EQ(rp_drain(w, now_ns() + 10000000000ull), 0);
	CHECK_EQ(rp_batch(w, 1), 1);
	CHECK_EQ(rp_counters(w)->submitted, submitted);
	check_counters(w, cfg, 0);
	for (uint32_t i = 0; i < cfg->nr_files; i++)
		CHECK_EQ(in_flight_of(w, i), 0);
}

/* There was one kind of failure only. */
__attribute__((unused))
static void check_only_error(struct rp_worker *w, uint32_t err, uint32_t file)
{
	const struct rp_error *e = rp_errors(w);

	CHECK_OP(e[0].count, >, 0);
	CHECK_EQ(-e[0].code, (int32_t)err);
	CHECK_EQ(e[0].file, file);
	CHECK_EQ(e[1].count, 0);
	CHECK_EQ(rp_counters(w)->shorts, err ? 0 : e[0].count);
}

__attribute__((unused))
static uint32_t count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint32_t n = 0;

	CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Bytes of address space in use; lines would hide a mapping that merged with its neighbour. */
__attribute__((unused))
static uint64_t mapped_bytes(void)
{
	unsigned long long from, to, sum = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	CHECK(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx", &from, &to) == 2)
			sum += to - from;
	fclose(f);
	return sum;
}

#endif
