/* SPDX-License-Identifier: MIT */
/*
 * Which blocks are read: all whole ones, evenly, and nothing beyond. Proved
 * from the data that arrives: every block of a file holds its own number.
 */
#include "../worker.h"
#include "rig.h"
#include "rounds.h"

/*
 * Chi-square of counts against evenness, less its mean, in standard
 * deviations. Within 5 for a fair generator, of which the seed is fixed here.
 */
static double unevenness(const uint32_t *counts, uint32_t bins)
{
	double total = 0, sum = 0, sigma2 = 2.0 * (bins - 1), off;

	for (uint32_t i = 0; i < bins; i++)
		total += counts[i];
	for (uint32_t i = 0; i < bins; i++) {
		off = counts[i] - total / bins;
		sum += off * off / (total / bins);
	}
	off = sum - (bins - 1);
	/* Squared, for want of libm; too even is as suspect as uneven. */
	return off * off / sigma2;
}

static void check_even(const uint32_t *counts, uint32_t bins)
{
	for (uint32_t i = 0; i < bins; i++)
		CHECK_OP(counts[i], >, 0);
	CHECK(unevenness(counts, bins) < 25);
}

/* rp_next_offset() alone, also for ranges that no test file can have. */
static void test_generator(void)
{
	static const uint64_t sizes[] = { 1, 2, 3, 7, 64, 100, 1000, 1ull << 40,
					  (1ull << 40) + 12345, (1ull << 52) - 1 };

	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct rp_range range = { .blocks = sizes[i], .unit = 4096 };
		const uint32_t bins = sizes[i] < 1000 ? (uint32_t)sizes[i] : 1000;
		uint32_t high[1000] = { 0 }, low[16] = { 0 };
		uint64_t random = 42;

		trying("generator, %llu blocks", (unsigned long long)sizes[i]);
		for (uint32_t n = 0; n < 100000; n++) {
			uint64_t off = rp_next_offset(&random, &range, RP_OP_RANDOM);

			CHECK_EQ(off % 4096, 0);
			CHECK(off / 4096 < sizes[i]);
			high[(unsigned __int128)(off / 4096) * bins / sizes[i]]++;
			low[off / 4096 % 16]++;
		}
		if (bins > 1)
			check_even(high, bins);
		if (sizes[i] >= 1ull << 40)
			check_even(low, 16);
		range.next = sizes[i] - 1;
		CHECK(rp_next_offset(&random, &range, RP_OP_SEQ) ==
		      (sizes[i] - 1) * 4096);
		CHECK_EQ(range.next, 0);
	}
}

/* Streams of two seeds, or of one twice: how many of 1000 offsets agree. */
static uint32_t agreement(uint64_t a, uint64_t b)
{
	struct rp_range range = { .blocks = 1ull << 40, .unit = 1 };
	uint32_t same = 0;

	for (uint32_t i = 0; i < 1000; i++)
		same += rp_next_offset(&a, &range, RP_OP_RANDOM) ==
			rp_next_offset(&b, &range, RP_OP_RANDOM);
	return same;
}

static void test_seeds(void)
{
	trying("seeds");
	for (uint64_t a = 0; a < 20; a++)
		for (uint64_t b = 0; b < 20; b++)
			CHECK_EQ(agreement(a * 0x9e3779b97f4a7c15, b * 0x9e3779b97f4a7c15),
				 a == b ? 1000 : 0);
}

/* Random reads of a real file: the data says where they went. */
static void test_random(uint32_t blocks, uint32_t setup)
{
	struct rp_config cfg = config_of(RP_OP_RANDOM, 32, SIZE, 1);
	struct rp_file file = { .fd = file_of(0, blocks, SIZE, 0), .blocks = blocks };
	struct rp_range range = { .blocks = blocks, .unit = 1 };
	uint64_t random = cfg.seed = 7;
	uint32_t counts[1000] = { 0 };
	struct rp_worker *w;

	trying("random, %u blocks", blocks);
	cfg.setup_flags = setup;
	w = open_worker(&cfg, &file);
	for (uint32_t n = 0; n < 100000 / 32; n++) {
		whole_round(w);
		for (uint32_t i = 0; i < 32; i++) {
			const uint64_t mark = mark_of(w, i);

			CHECK_OP(mark, <, blocks);
			/* The same seed, the same stream. */
			CHECK_EQ(mark, rp_next_offset(&random, &range, RP_OP_RANDOM));
			counts[mark]++;
		}
	}
	check_even(counts, blocks);
	close_worker(w, &cfg);
	close(file.fd);
}

/* Sequential: from the start block, in order, around the end. Depths that divide nothing. */
static void test_sequential(uint32_t depth, uint32_t blocks, uint32_t start)
{
	struct rp_config cfg = config_of(RP_OP_SEQ, depth, SIZE, 1);
	struct rp_file file = { .fd = file_of(0, blocks, SIZE, 0), .blocks = blocks,
				.start_block = start };
	struct rp_worker *w;
	uint64_t next = start, slot = 0;

	trying("sequential, depth %u, %u blocks from %u", depth, blocks, start);
	w = open_worker(&cfg, &file);
	for (uint32_t n = 0; n < 3 * blocks / depth + 2; n++) {
		whole_round(w);
		for (uint32_t i = 0; i < depth; i++) {
			CHECK_EQ(mark_of(w, slot++ % w->nr_slots), next);
			next = next + 1 == blocks ? 0 : next + 1;
		}
	}
	close_worker(w, &cfg);
	close(file.fd);
}

int main(void)
{
	const uint32_t fast = granted_flags(0, FAST_FLAGS);

	test_generator();
	test_seeds();
	test_random(64, fast);
	test_random(100, 0);
	test_random(1000, fast);
	test_sequential(1, 10, 0);
	test_sequential(8, 64, 0);
	test_sequential(7, 100, 99);
	test_sequential(31, 5, 3);
	test_sequential(33, 101, 50);
	test_sequential(4, 1, 0);
	return 0;
}
