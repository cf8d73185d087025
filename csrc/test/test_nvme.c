/* SPDX-License-Identifier: MIT */
/*
 * Passthrough reads of real namespaces, in the lab: each LBA holds its own
 * number, and what arrives in the buffers says where the reads went. Every
 * block is visited and nothing beyond, in all the ways to ask for it.
 */
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <linux/fs.h>
#include <linux/nvme_ioctl.h>

#include "../worker.h"
#include "rig.h"

#define POISON		0xeeu
#define MAX_BLOCKS	4096u
#define PRACT		(1u << 29)	/* in command dword 12 */

/* A namespace, as Identify describes it to the test itself. */
struct ns {
	const char *name;
	int fd;
	uint32_t nsid, lba, ms, tag;
	bool inter, pract;
	uint64_t lbas;
};

static uint32_t kernel;		/* 612 is 6.12 */

/* Bytes of one LBA in the buffer for data. */
static uint32_t data_of(const struct ns *ns)
{
	return ns->lba + (ns->inter && !ns->pract ? ns->ms : 0);
}

/* Bytes of one LBA in a buffer for metadata. */
static uint32_t meta_of(const struct ns *ns)
{
	return ns->inter || ns->pract ? 0 : ns->ms;
}

/* The 8 bytes at 8 * i of an LBA. Metadata follows the data, wherever it is. */
static uint64_t word_of(const struct ns *ns, uint64_t lba, uint32_t i)
{
	return (uint64_t)ns->tag << 56 | lba << 16 | i;
}

static void fill(const struct ns *ns, uint64_t lba, uint64_t *to, uint32_t bytes, uint32_t first)
{
	for (uint32_t i = 0; i < bytes / 8; i++)
		to[i] = word_of(ns, lba, first + i);
}

static int64_t command(const struct ns *ns, unsigned long request, struct nvme_passthru_cmd *cmd)
{
	cmd->nsid = ns->nsid;
	return ioctl(ns->fd, request, cmd);
}

static bool open_ns(struct ns *ns, const char *name, uint32_t tag)
{
	uint8_t id[4096] __attribute__((aligned(4096)));
	struct nvme_passthru_cmd identify = {
		.opcode = 0x06, .addr = (uint64_t)(uintptr_t)id, .data_len = sizeof(id),
	};
	char path[128];
	uint8_t *format;

	memset(ns, 0, sizeof(*ns));
	ns->name = name;
	ns->tag = tag;
	snprintf(path, sizeof(path), "/dev/lab/%s-char", name);
	ns->fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK_OP(ns->fd, >=, 0);
	ns->nsid = (uint32_t)ioctl(ns->fd, NVME_IOCTL_ID);
	CHECK_EQ(command(ns, NVME_IOCTL_ADMIN_CMD, &identify), 0);
	memcpy(&ns->lbas, id, 8);
	format = id + 128 + 4 * ((id[26] & 15) | (id[26] >> 5 & 3) << 4);
	ns->ms = format[0] | (uint32_t)format[1] << 8;
	ns->lba = 1u << format[2];
	ns->inter = id[26] >> 4 & 1;
	ns->pract = (id[29] & 7) && ns->ms == 8;
	CHECK_OP(ns->lbas, <=, MAX_BLOCKS);
	return true;
}

/* Through the block device, whose idea of LBAs is not ours. Without one the numbers go by NVMe writes. */
static bool write_block(const struct ns *ns)
{
	const uint64_t bytes = ns->lbas * ns->lba;
	char path[128];
	uint64_t size = 0, *all;
	int fd;

	snprintf(path, sizeof(path), "/dev/lab/%s", ns->name);
	fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return false;
	CHECK_EQ(ioctl(fd, BLKGETSIZE64, &size), 0);
	if (size && !meta_of(ns)) {
		CHECK_EQ(size, bytes);
		all = aligned_alloc(4096, bytes);
		CHECK(all);
		for (uint64_t i = 0; i < ns->lbas; i++)
			fill(ns, i, all + i * ns->lba / 8, ns->lba, 0);
		for (uint64_t at = 0; at < bytes; at += 65536)
			CHECK_EQ(pwrite(fd, (uint8_t *)all + at, bytes - at < 65536 ? bytes - at : 65536, (off_t)at),
				 bytes - at < 65536 ? bytes - at : 65536);
		free(all);
	} else {
		size = 0;
	}
	close(fd);
	return size > 0;
}

static void write_ns(const struct ns *ns)
{
	uint64_t data[8192 / 8] __attribute__((aligned(4096)));
	uint64_t meta[64 / 8] __attribute__((aligned(64)));

	trying("write %s", ns->name);
	if (write_block(ns))
		return;
	for (uint64_t i = 0; i < ns->lbas; i++) {
		struct nvme_passthru_cmd cmd = {
			.opcode = 0x01, .addr = (uint64_t)(uintptr_t)data, .data_len = data_of(ns),
			.cdw10 = (uint32_t)i, .cdw11 = (uint32_t)(i >> 32), .cdw12 = ns->pract ? PRACT : 0,
		};

		fill(ns, i, data, data_of(ns), 0);
		if (meta_of(ns)) {
			fill(ns, i, meta, meta_of(ns), ns->lba / 8);
			cmd.metadata = (uint64_t)(uintptr_t)meta;
			cmd.metadata_len = meta_of(ns);
		}
		CHECK_EQ(command(ns, NVME_IOCTL_IO_CMD, &cmd), 0);
	}
}

/* How to read. */
struct way {
	uint32_t op, flags, depth, times;	/* times: LBAs per block */
};

/* A run: its worker, and how often each block of each namespace was read. */
struct trial {
	struct rp_config cfg;
	struct rp_worker *w;
	const struct ns *ns;
	uint32_t nr, times;
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
		fill(ns, lba, expected, data_of(ns), 0);
		CHECK_EQ(memcmp(data, expected, data_of(ns)), 0);
		data += data_of(ns);
		if (!meta_of(ns))
			continue;
		fill(ns, lba, expected, meta_of(ns), ns->lba / 8);
		CHECK_EQ(memcmp(meta, expected, meta_of(ns)), 0);
		meta += meta_of(ns);
	}
	check_rest(data, end);
	if (meta)
		check_rest(meta, meta_end);
	return (int64_t)(first / t->times);
}

/* One round, all of which comes back. Returns how many reads it was; they are in the buffers. */
static uint64_t round_of(struct trial *t)
{
	const struct rp_counters *c = rp_counters(t->w);
	const uint64_t before = c->submitted;

	poison(t->w);
	CHECK_EQ(rp_batch(t->w, 1), 0);
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

static struct rp_file file_of_ns(const struct ns *ns, uint32_t times)
{
	return (struct rp_file){
		.fd = ns->fd, .nsid = ns->nsid, .blocks = ns->lbas / times, .lbas = times,
		.transfer = times * data_of(ns), .metadata = times * meta_of(ns),
		.control = ns->pract ? PRACT : 0,
	};
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
	t.cfg = config_of(way->op, way->depth, way->times * ns->lba, nr);
	t.cfg.flags = way->flags | RP_PASSTHROUGH;
	t.cfg.seed = 7;
	t.cfg.setup_flags = granted_flags(IORING_SETUP_SQE128 | IORING_SETUP_CQE32 | polled, FAST_FLAGS);
	for (uint32_t i = 0; i < nr; i++) {
		CHECK_EQ(ns[i].lba, ns->lba);
		files[i] = file_of_ns(&ns[i], way->times);
		t.blocks[i] = files[i].blocks;
		all += t.blocks[i];
		if (t.blocks[i] > most)
			most = t.blocks[i];
	}
	trying("%s%s, %s %s%s%s%s, depth %u, %u LBAs a block", ns->name, nr > 1 ? " and others" : "",
	       way->op == RP_OP_SEQ ? "sequential" : "random",
	       polled ? "polled" : "interrupt", way->flags & RP_FIXED_BUFS ? ", fixed buffers" : "",
	       way->flags & RP_VECTORED ? ", vectored" : "", way->flags & RP_FIXED_FILES ? ", fixed files" : "",
	       way->depth, way->times);
	if (way->flags & RP_VECTORED && way->flags & RP_FIXED_BUFS && kernel < 615) {
		/* No command may be tried: 6.1 warns of it in the kernel log. */
		struct rp_report report;

		CHECK_EQ(rp_open(&t.cfg, files, &report, &t.w), -EOPNOTSUPP);
		CHECK_EQ(report.step, RP_STEP_BUFFERS);
		return;
	}
	t.w = open_worker(&t.cfg, files);
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
		printf("%s: %llu LBAs of %u + %u\n", names[i], (unsigned long long)all[i].lbas, all[i].lba, all[i].ms);
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
