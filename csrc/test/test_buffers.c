/* SPDX-License-Identifier: MIT */
/* Every way of reading puts the right file's data into the right buffer, and nowhere else. */
#include <sys/mman.h>

#include "rounds.h"

#define FILES	3u
#define TAG(f)	((uint64_t)(f) << 32)

/* Each way of reading, one file or several: the right file's data in the right buffer. */
static void test_modes(uint32_t flags, uint32_t files, uint32_t depth)
{
	struct rp_config cfg = config_of(RP_OP_RANDOM, depth, SIZE, files);
	struct rp_file file[FILES];
	uint32_t visits[FILES] = { 0 };
	struct rp_worker *w;

	trying("flags %#x, %u files, depth %u", flags, files, depth);
	for (uint32_t f = 0; f < files; f++)
		file[f] = (struct rp_file){ .fd = file_of(TAG(f + 1), 50 + f, SIZE, 0),
					    .blocks = 50 + f };
	cfg.flags = flags;
	w = open_worker(&cfg, file);
	for (uint32_t n = 0; n < 200; n++) {
		uint32_t filled = 0;

		whole_round(w);
		for (uint32_t i = 0; i < w->nr_slots; i++) {
			const uint64_t mark = mark_of(w, i);
			const uint32_t f = files > 1 ? i % files : 0;

			if (!mark)
				continue;
			CHECK_EQ(mark >> 32, f + 1);
			CHECK_OP(mark & 0xffffffff, <, 50 + f);
			visits[f]++;
			filled++;
		}
		CHECK_EQ(filled, depth);
	}
	for (uint32_t f = 0; f < files; f++) {
		CHECK_OP(visits[f], >=, 200 * (depth / files));
		CHECK_OP(visits[f], <=, 200 * ((depth + files - 1) / files));
		if (depth < files)	/* in turn */
			CHECK_OP(visits[f], >=, 200 * depth / files - 1);
		close(file[f].fd);
	}
	close_worker(w, &cfg);
}

/* Two workers share a file of buffers, at offsets that need not be whole pages. */
static void test_shared_buffers(uint32_t flags)
{
	struct rp_config cfg[2];
	struct rp_file file[2];
	struct rp_worker *w[2];
	const int fd = memfd_create("buffers", MFD_CLOEXEC);
	uint64_t mark;

	trying("shared buffers, flags %#x", flags);
	/* The last page is whole: mappings reach to its end. */
	CHECK_EQ(ftruncate(fd, 4 * 4096), 0);
	for (uint32_t i = 0; i < 2; i++) {
		file[i] = (struct rp_file){ .fd = file_of(TAG(i + 1), 64, SIZE, 0), .blocks = 64 };
		cfg[i] = config_of(RP_OP_SEQ, 8, SIZE, 1);
		cfg[i].flags = flags;
		cfg[i].buffer_fd = fd;
		cfg[i].buffer_offset = 3 * SIZE + i * 8 * SIZE;
		w[i] = open_worker(&cfg[i], &file[i]);
	}
	whole_round(w[0]);
	whole_round(w[1]);
	for (uint32_t i = 0; i < 16; i++) {
		CHECK_EQ(pread(fd, &mark, sizeof(mark), (3 + i) * SIZE), sizeof(mark));
		CHECK_EQ(mark, TAG(i / 8 + 1) + i % 8);
	}
	CHECK_EQ(pread(fd, &mark, sizeof(mark), (3 + 16) * SIZE), sizeof(mark));
	CHECK_EQ(mark, 0);
	for (uint32_t i = 0; i < 2; i++) {
		close_worker(w[i], &cfg[i]);
		close(file[i].fd);
	}
	close(fd);
}

/*
 * Kernels before 6.15 get a registered region for each slot, newer ones a
 * single one. Register anew as if this were an old one: every slot must still
 * find its buffer.
 */
static void test_regions(void)
{
	struct rp_config cfg = config_of(RP_OP_RANDOM, 8, SIZE, FILES);
	struct rp_file file[FILES];
	struct rp_report report;
	struct rp_worker *w;

	trying("a region for each slot");
	cfg.flags = RP_FIXED_BUFS;
	for (uint32_t f = 0; f < FILES; f++)
		file[f] = (struct rp_file){ .fd = file_of(TAG(f + 1), 64, SIZE, 0), .blocks = 64 };
	w = open_worker(&cfg, file);
	CHECK_EQ(io_uring_unregister_buffers(&w->ring), 0);
	w->ring.features &= ~IORING_FEAT_NO_IOWAIT;
	CHECK_EQ(rp_buffers_register(w, &report), 0);
	CHECK_EQ(report.buffer_regions, w->nr_slots);
	for (uint32_t n = 0; n < 20; n++) {
		whole_round(w);
		for (uint32_t i = 0; i < w->nr_slots; i++)
			CHECK_EQ(mark_of(w, i) >> 32, i % FILES + 1);
	}
	close_worker(w, &cfg);
	for (uint32_t f = 0; f < FILES; f++)
		close(file[f].fd);
}

int main(void)
{
	granted_flags(0, 0);
	test_regions();
	for (uint32_t flags = 0; flags <= RP_VECTORED; flags += RP_FIXED_BUFS)
		test_shared_buffers(flags);
	for (uint32_t flags = 0; flags <= (RP_TIMED | RP_VECTORED); flags += RP_FIXED_BUFS)
		for (uint32_t depth = 1; depth <= 16 && !(flags & RP_RESTRICTED); depth += 5)
			for (uint32_t files = 1; files <= FILES; files++)
				test_modes(flags, files, depth);
	return 0;
}
