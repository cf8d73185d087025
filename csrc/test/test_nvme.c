/* SPDX-License-Identifier: MIT */
/*
 * Reads of real namespaces, in the lab, by passthrough and through the block
 * device: each LBA holds its own number, and what arrives in the buffers says
 * where the reads went. Every block is visited and nothing beyond, in all the
 * ways to ask for it.
 */
#include <sys/utsname.h>

#include "../worker.h"
#include "namespace.h"

#define POISON		0xeeu
#define NVME_READ	0x02	/* in the NVM command set; not the program's own constant */

static uint32_t kernel;		/* 612 is 6.12 */

/* How to read. */
struct way {
	uint32_t op, flags, depth, times;	/* times: LBAs per block */
	bool block;		/* through the block device */
	bool regions;		/* registered as other kernels have it: in one region, or in one for each slot */
};

/* A run: its worker, and how often each block of each namespace was read. */
struct trial {
	struct rp_config cfg;
	struct rp_worker *w;
	const struct ns *ns;
	uint32_t nr, times;
	bool block;
	uint32_t visits[4][MAX_BLOCKS];
	uint64_t blocks[4];
};

static void poison(struct rp_worker *w)
{
	memset(w->buffers, POISON, w->buffer_bytes);
	if (w->metadata)
		memset(w->metadata, POISON, (size_t)w->metadata_stride * w->nr_slots);
}

static void check_rest(const uint8_t *from, const uint8_t *to)
{
	for (; from < to; from++)
		CHECK_EQ(*from, POISON);
}

/* The block in the buffer of a slot, which holds all of it and nothing else; -1: nothing was read into it. */
static int64_t block_in(struct trial *t, uint32_t slot)
{
	struct rp_worker *w = t->w;
	const uint32_t file = w->slots[slot].file;
	const struct ns *ns = &t->ns[file];
	const uint32_t bytes = t->block ? ns->lba : data_of(ns);
	const uint8_t *data = w->buffers + (size_t)slot * w->stride, *end = data + w->stride;
	const uint8_t *meta = w->metadata ? w->metadata + (size_t)slot * w->metadata_stride : NULL;
	const uint8_t *meta_end = meta ? meta + w->metadata_stride : NULL;
	uint64_t expected[(4096 + 64) / 8], first;

	memcpy(&first, data, 8);
	if (first == 0x0101010101010101ull * POISON) {
		check_rest(data, end);
		if (meta)
			check_rest(meta, meta_end);
		return -1;
	}
	CHECK_EQ(first >> 56, ns->tag);
	first = first << 8 >> 24;
	CHECK_EQ(first % t->times, 0);
	CHECK_OP(first / t->times, <, t->blocks[file]);
	for (uint64_t lba = first; lba < first + t->times; lba++) {
		fill(ns, lba, expected, bytes, 0);
		CHECK_EQ(memcmp(data, expected, bytes), 0);
		data += bytes;
		if (t->block || !meta_of(ns))
			continue;
		CHECK(meta);
		fill(ns, lba, expected, meta_of(ns), ns->lba / 8);
		CHECK_EQ(memcmp(meta, expected, meta_of(ns)), 0);
		meta += meta_of(ns);
	}
	check_rest(data, end);
	if (meta)
		check_rest(meta, meta_end);
	return (int64_t)(first / t->times);
}

/* No command but reads, and each with data: there is none that takes none, or that writes. */
static void check_commands(const struct rp_worker *w)
{
	for (uint32_t i = 0; i < w->ring.sq.ring_entries; i++) {
		const struct io_uring_sqe *sqe = &w->ring.sq.sqes[2 * i];
		const struct rp_nvme_cmd *cmd = (const struct rp_nvme_cmd *)sqe->cmd;

		CHECK_EQ(sqe->opcode, IORING_OP_URING_CMD);
		CHECK_EQ(cmd->opcode, NVME_READ);
		CHECK_OP(cmd->data_len, >, 0);
		CHECK(cmd->addr);
		CHECK_EQ(!cmd->metadata, !cmd->metadata_len);
	}
}

/* One round, all of which comes back. Returns how many reads it was; they are in the buffers. */
static uint64_t round_of(struct trial *t)
{
	const struct rp_counters *c = rp_counters(t->w);
	const uint64_t before = c->submitted;

	poison(t->w);
	CHECK_EQ(rp_batch(t->w, 1), 0);
	if (!t->block)
		check_commands(t->w);
	CHECK_EQ(rp_drain(t->w, now_ns() + 10000000000ull), 0);
	CHECK_EQ(c->failed, 0);
	CHECK_EQ(c->completed, c->submitted);
	CHECK_OP(c->submitted, >, before);
	CHECK_OP(c->submitted - before, <=, t->cfg.depth);
	return c->submitted - before;
}

/*
 * Reads until each block was seen, in so many reads at most. Of one namespace, the order is
 * known too: the same seed gives the same blocks, the k-th read is into the
 * buffer of slot k.
 */
static void visit(struct trial *t, uint64_t blocks, uint64_t most)
{
	struct rp_range range = { .blocks = t->blocks[0], .unit = 1 };
	uint64_t random = t->cfg.seed, at = 0;

	while (blocks && at < most) {
		const uint64_t n = round_of(t);
		uint64_t seen = 0;

		for (uint64_t i = 0; t->nr == 1 && i < n; i++)
			CHECK_EQ(block_in(t, (uint32_t)((at + i) % t->w->nr_slots)),
				 rp_next_offset(&random, &range, t->cfg.op));
		for (uint32_t i = 0; i < t->w->nr_slots; i++) {
			const int64_t block = block_in(t, i);

			if (block < 0)
				continue;
			blocks -= !t->visits[t->w->slots[i].file][block]++;
			seen++;
		}
		CHECK_EQ(seen, n);
		at += n;
	}
	CHECK_EQ(blocks, 0);
}

static struct rp_file file_of_ns(const struct ns *ns, uint32_t times, bool block)
{
	if (block)
		return (struct rp_file){ .fd = ns->block, .blocks = ns->lbas / times };
	return (struct rp_file){
		.fd = ns->fd, .nsid = ns->nsid, .blocks = ns->lbas / times, .lbas = times,
		.transfer = times * data_of(ns), .metadata = times * meta_of(ns),
		.control = ns->pract ? PRACT : 0,
	};
}

/*
 * Register the buffers as a kernel before 6.15 has it when this is a newer
 * one, and the other way round. SQEs keep the index of their buffer.
 */
static void register_otherwise(struct rp_worker *w, uint32_t step)
{
	const bool one_region = !(w->ring.features & IORING_FEAT_NO_IOWAIT);
	struct rp_report report;

	CHECK_EQ(io_uring_unregister_buffers(&w->ring), 0);
	w->ring.features ^= IORING_FEAT_NO_IOWAIT;
	CHECK_EQ(rp_buffers_register(w, &report), 0);
	w->ring.features ^= IORING_FEAT_NO_IOWAIT;
	CHECK_EQ(report.buffer_regions, one_region ? 1 : w->nr_slots);
	for (uint32_t i = 0; i < w->ring.sq.ring_entries; i++)
		w->ring.sq.sqes[i * step].buf_index = w->slots[i & (w->nr_slots - 1)].buf_index;
}

static void test_reads(const struct ns *ns, uint32_t nr, const struct way *way)
{
	const uint32_t polled = way->flags & RP_POLLED ? IORING_SETUP_IOPOLL : 0;
	static struct trial t;
	struct rp_file files[4];
	uint64_t most = 0, all = 0;

	memset(&t, 0, sizeof(t));
	t.ns = ns;
	t.nr = nr;
	t.times = way->times;
	t.block = way->block;
	t.cfg = config_of(way->op, way->depth, way->times * ns->lba, nr);
	t.cfg.flags = way->flags | (way->block ? 0 : RP_PASSTHROUGH);
	t.cfg.seed = 7;
	t.cfg.setup_flags = granted_flags((way->block ? 0 : IORING_SETUP_SQE128 | IORING_SETUP_CQE32) | polled, FAST_FLAGS);
	for (uint32_t i = 0; i < nr; i++) {
		CHECK_EQ(ns[i].lba, ns->lba);
		files[i] = file_of_ns(&ns[i], way->times, way->block);
		t.blocks[i] = files[i].blocks;
		all += t.blocks[i];
		if (t.blocks[i] > most)
			most = t.blocks[i];
	}
	trying("%s%s%s, %s %s%s%s%s%s, depth %u, %u LBAs a block", ns->name, nr > 1 ? " and others" : "",
	       way->block ? " as a block device" : "", way->op == RP_OP_SEQ ? "sequential" : "random",
	       polled ? "polled" : "interrupt", way->flags & RP_FIXED_BUFS ? ", fixed buffers" : "",
	       way->flags & RP_VECTORED ? ", vectored" : "", way->flags & RP_FIXED_FILES ? ", fixed files" : "",
	       way->regions ? ", other regions" : "", way->depth, way->times);
	if (!way->block && way->flags & RP_VECTORED && way->flags & RP_FIXED_BUFS && kernel < 615) {
		/* No command may be tried: 6.1 warns of it in the kernel log. */
		struct rp_report report;

		CHECK_EQ(rp_open(&t.cfg, files, &report, &t.w), -EOPNOTSUPP);
		CHECK_EQ(report.step, RP_STEP_BUFFERS);
		return;
	}
	t.w = open_worker(&t.cfg, files);
	if (way->regions)
		register_otherwise(t.w, way->block ? 1 : 2);
	/* Sequential: one pass, and what is left of a round. Random: a fair generator needs ln(blocks) passes, give or take 2. */
	visit(&t, all, way->op == RP_OP_SEQ ? nr * most + nr * way->depth : nr * most * 20);
	stop_and_drain(t.w, &t.cfg);
	rp_close(t.w);
}

/* Every combination, but at one LBA a block, which is slow, and with metadata the plainest and the fastest ones. */
static void test_namespace(const struct ns *ns)
{
	static const uint32_t flags[] = {
		0, RP_FIXED_BUFS, RP_VECTORED, RP_FIXED_BUFS | RP_VECTORED,
	};
	static const uint32_t times[] = { 1, 3, 8 };

	write_ns(ns);
	for (uint32_t t = 0; t < 3; t++)
		for (uint32_t op = RP_OP_RANDOM; op <= RP_OP_SEQ; op++)
			for (uint32_t polled = 0; polled < 2; polled++)
				for (uint32_t f = 0; f < 4; f++) {
					const struct way way = {
						.op = op, .depth = times[t] == 3 ? 13 : 32, .times = times[t],
						.flags = flags[f] | (polled ? RP_POLLED | RP_FIXED_FILES | RP_FIXED_RING : 0),
					};

					if ((times[t] == 1 || (ns->ms && times[t] == 8)) && f != polled)
						continue;
					test_reads(ns, 1, &way);
				}
}

/*
 * The block device of the same namespace, whose ring is an ordinary one. Three
 * reads together, of up to half a MiB, begin at different offsets of one
 * registered region, or of one each.
 */
static void test_block(const struct ns *ns)
{
	static const uint32_t flags[] = {
		0, RP_FIXED_BUFS, RP_VECTORED, RP_FIXED_BUFS | RP_VECTORED,
	};

	if (ns->block < 0)
		return;
	for (uint32_t polled = 0; polled < 2; polled++) {
		const uint32_t more = polled ? RP_POLLED | RP_FIXED_FILES | RP_FIXED_RING : 0;

		for (uint32_t f = 0; f < 4; f++) {
			const struct way way = {
				.op = RP_OP_RANDOM, .depth = 13, .times = 8, .flags = flags[f] | more, .block = true,
			};

			test_reads(ns, 1, &way);
		}
		for (uint32_t bytes = 4096; bytes <= 524288; bytes *= bytes == 4096 ? 16 : 8)
			for (uint32_t f = 0; f < 3; f++) {
				const struct way way = {
					.op = RP_OP_SEQ, .depth = 3, .times = bytes / ns->lba,
					.flags = (f ? RP_FIXED_BUFS : 0) | more, .block = true, .regions = f == 2,
				};

				/* Above the 128 KiB of a command reads are split, and 6.1 never completes polled ones. */
				if (!polled || bytes <= 131072 || kernel >= 612)
					test_reads(ns, 1, &way);
			}
	}
}

int main(void)
{
	static const char *const names[] = {
		"nvme-small", "nvme-small-4k", "nvme-small-ms8", "nvme-small-pi", "nvme-small-inter",
	};
	static struct ns all[5], pair[3];
	struct utsname u;
	unsigned int major, minor;

	if (access("/dev/lab", F_OK))
		skip("only in the lab: no /dev/lab");
	CHECK_EQ(uname(&u), 0);
	CHECK_EQ(sscanf(u.release, "%u.%u", &major, &minor), 2);
	kernel = major * 100 + minor;
	if (kernel < 601)
		skip("no passthrough with all of these options before 6.1: this is %s", u.release);
	for (uint32_t i = 0; i < 5; i++) {
		open_ns(&all[i], names[i], i + 1);
		test_namespace(&all[i]);
		test_block(&all[i]);
		printf("%s: %llu LBAs of %u + %u\n", names[i], (unsigned long long)all[i].lbas, all[i].lba, all[i].ms);
	}
	/* By passthrough in other regions. A command carries all of its region on 6.1, which refuses those that are too large. */
	for (uint32_t polled = 0; polled < 2; polled++)
		for (uint32_t times = 1; times <= (kernel < 612 ? 1u : 32u); times *= 32) {
			const struct way way = {
				.op = RP_OP_SEQ, .depth = 3, .times = times, .regions = true,
				.flags = RP_FIXED_BUFS | (polled ? RP_POLLED : 0),
			};

			test_reads(&all[1], 1, &way);
		}
	/* Several on one ring: plain, with metadata in a buffer, with PRACT. */
	pair[0] = all[1];
	pair[1] = all[2];
	pair[2] = all[3];
	for (uint32_t op = RP_OP_RANDOM; op <= RP_OP_SEQ; op++)
		for (uint32_t polled = 0; polled < 2; polled++)
			for (uint32_t times = 1; times <= 3; times += 2)
				for (uint32_t f = 0; f < 3; f++) {
					const uint32_t flags[] = { 0, RP_FIXED_BUFS, RP_VECTORED };
					const struct way way = {
						.op = op, .depth = 24, .times = times,
						.flags = flags[f] | (polled ? RP_POLLED : RP_FIXED_FILES),
					};

					test_reads(pair, 3, &way);
				}
	printf("three namespaces on one ring\n");
	return 0;
}
