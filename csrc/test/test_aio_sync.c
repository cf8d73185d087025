/* SPDX-License-Identifier: MIT */
/*
 * The engines to compare with: legacy AIO and preadv2(2) keep the same
 * invariants under the eyes of a second thread, and close without a trace.
 */
#include <pthread.h>

#include "../worker.h"
#include "rig.h"

#define MAX_FILES	5u
#define SIZE		4096u

struct watch {
	struct rp_worker *w;
	const struct rp_config *cfg;
	uint32_t stop_at;
};

static void *watcher(void *arg)
{
	const struct watch *watch = arg;
	const struct rp_config *cfg = watch->cfg;
	const struct rp_counters *c = rp_counters(watch->w);
	const uint32_t share = (cfg->depth + cfg->nr_files - 1) / cfg->nr_files;
	uint64_t done;

	do {
		done = peek(&c->completed) + peek(&c->failed);
#if defined(__x86_64__)
		CHECK_OP(peek(&c->submitted), >=, done);
#endif
		for (uint32_t i = 0; i < cfg->nr_files; i++)
			CHECK_OP(in_flight_of(watch->w, i), <=, share);
		if (done > watch->stop_at / 2)
			rp_set_phase(watch->w, RP_PHASE_MEASURE);
	} while (done < watch->stop_at);
	rp_set_phase(watch->w, RP_PHASE_STOP);
	return NULL;
}

static void run_case(const struct rp_config *cfg, const struct rp_file *files)
{
	struct watch watch = { .cfg = cfg, .stop_at = 2000 + 3 * cfg->depth };
	pthread_t thread;
	int ret;

	watch.w = open_worker(cfg, files);
	check_counters(watch.w, cfg, 0);
	CHECK_EQ(rp_batch(watch.w, 0), 0);
	CHECK_EQ(rp_counters(watch.w)->submitted, 0);
	CHECK_EQ(pthread_create(&thread, NULL, watcher, &watch), 0);
	do {
		ret = rp_batch(watch.w, 7);
		check_counters(watch.w, cfg, -1);
	} while (!ret);
	CHECK_EQ(ret, 1);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	stop_and_drain(watch.w, cfg);
	CHECK_EQ(rp_counters(watch.w)->failed, 0);
	CHECK_OP(rp_counters(watch.w)->completed, >=, watch.stop_at);
	CHECK_OP(rp_counters(watch.w)->calls, >, 0);
	if (cfg->engine == RP_ENGINE_SYNC)
		CHECK_EQ(rp_counters(watch.w)->calls, rp_counters(watch.w)->completed);
	rp_close(watch.w);
}

/* One read a round: the buffer tells which block it was. Files take turns. */
static void test_sync_order(const struct rp_file *files, uint32_t nr_files)
{
	struct rp_config cfg = config_of(RP_OP_SEQ, 1, SIZE, nr_files);
	struct rp_worker *w;

	trying("order of the sync engine, %u files", nr_files);
	cfg.engine = RP_ENGINE_SYNC;
	w = open_worker(&cfg, files);
	for (uint32_t i = 0; i < 300; i++) {
		const struct rp_file *f = &files[i % nr_files];
		uint64_t mark;

		CHECK_EQ(rp_batch(w, 1), 0);
		memcpy(&mark, w->buffers, sizeof(mark));
		CHECK_EQ(mark >> 32, i % nr_files + 1);
		CHECK_EQ(mark & 0xffffffff, (f->start_block + i / nr_files) % f->blocks);
	}
	stop_and_drain(w, &cfg);
	rp_close(w);
}

/* With AIO each slot has a buffer and a file of its own: no read lands in another's. */
static void test_aio_buffers(const struct rp_file *files, uint32_t nr_files, uint32_t depth)
{
	struct rp_config cfg = config_of(RP_OP_RANDOM, depth, SIZE, nr_files);
	uint32_t visits[MAX_FILES] = { 0 };
	struct rp_worker *w;

	trying("buffers of AIO, %u files, depth %u", nr_files, depth);
	cfg.engine = RP_ENGINE_AIO;
	w = open_worker(&cfg, files);
	for (uint32_t n = 0; n < 50; n++) {
		memset(w->buffers, 0, w->buffer_bytes);
		CHECK_EQ(rp_batch(w, 1), 0);
		CHECK_EQ(rp_drain(w, now_ns() + 1000000000), 0);
		for (uint32_t i = 0; i < w->nr_slots; i++) {
			uint64_t mark;

			memcpy(&mark, w->buffers + (size_t)i * w->stride, sizeof(mark));
			if (!mark)
				continue;
			CHECK_EQ(mark >> 32, i % nr_files + 1);
			CHECK_OP(mark & 0xffffffff, <, files[i % nr_files].blocks);
			visits[i % nr_files]++;
		}
		check_counters(w, &cfg, 0);
	}
	for (uint32_t f = 0; f < nr_files; f++)
		CHECK_OP(visits[f], >, 0);
	CHECK_EQ(rp_counters(w)->completed, 50 * depth);
	stop_and_drain(w, &cfg);
	rp_close(w);
}

/* Mappings of AIO rings: one for each context. */
static uint32_t count_contexts(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint32_t n = 0;
	char line[512];

	CHECK(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "/[aio]") != NULL;
	fclose(f);
	return n;
}

int main(void)
{
	static const uint32_t depths[] = { 1, 2, 7, 32, 33, 200 };
	static const uint32_t counts[] = { 1, 2, MAX_FILES };
	struct rp_file files[MAX_FILES];
	uint32_t fds;

	for (uint32_t i = 0; i < MAX_FILES; i++)
		files[i] = (struct rp_file){
			.fd = file_of((uint64_t)(i + 1) << 32, 20 + i, SIZE, i % 2),
			.blocks = 20 + i, .start_block = i };
	fds = count_fds();
	for (uint32_t i = 0; i < 6 * 3 * 4; i++) {
		struct rp_config cfg = config_of(1 + (i & 1), depths[i / 12], SIZE,
						 counts[i / 4 % 3]);

		cfg.engine = i / 12 ? RP_ENGINE_AIO : RP_ENGINE_SYNC;
		cfg.submit = 1 + cfg.depth * (i % 5) / 5;
		cfg.complete = 1 + cfg.depth * (i % 7) / 7;
		cfg.flags = i & 2 ? RP_TIMED : 0;
		trying("engine %u op %u depth %u/%u/%u files %u flags %#x", cfg.engine, cfg.op,
		       cfg.depth, cfg.submit, cfg.complete, cfg.nr_files, cfg.flags);
		run_case(&cfg, files);
	}
	for (uint32_t i = 0; i < 3; i++) {
		test_sync_order(files, counts[i]);
		for (uint32_t j = 0; j < 5; j++)
			test_aio_buffers(files, counts[i], depths[j]);
	}
	trying("leaks");
	CHECK_EQ(count_contexts(), 0);
	CHECK_EQ(count_fds(), fds);
	for (uint32_t i = 0; i < MAX_FILES; i++)
		close(files[i].fd);
	return 0;
}
