/* SPDX-License-Identifier: MIT */
/* I/O buffers: one region per worker, cut into a buffer per slot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "worker.h"

#define PAGE		4096u
#define MAX_REGION	(1ull << 30)	/* per registered buffer, in the kernel */

/*
 * From one buffer to the next. A buffer of up to a page does not straddle
 * two: an NVMe command would need a second PRP entry for it.
 */
static uint32_t stride_of(uint32_t block_size)
{
	uint32_t stride = 512;

	if (block_size > PAGE)
		return (block_size + PAGE - 1) & ~(PAGE - 1);
	while (stride < block_size)
		stride *= 2;
	return stride;
}

/*
 * Where the buffers come from: anonymous memory in pages of 4 KiB, or the
 * worker's share of a hugetlbfs file. A share may begin inside a huge page;
 * mappings cannot. Returns 0 or a negative errno.
 */
static int map_buffers(struct rp_worker *w)
{
	const int prot = PROT_READ | PROT_WRITE;
	size_t page = PAGE, inside;
	struct stat st;
	void *map;

	if (w->cfg.buffer_fd < 0) {
		w->map_bytes = (w->buffer_bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
		map = mmap(NULL, w->map_bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			return -errno;
		/*
		 * A registered buffer in a huge page has one segment larger than
		 * a page, which sends every bio through the split path.
		 */
		madvise(map, w->map_bytes, MADV_NOHUGEPAGE);
		w->map = w->buffers = map;
		return 0;
	}
	if (fstat(w->cfg.buffer_fd, &st) < 0)
		return -errno;
	page = (size_t)st.st_blksize;	/* hugetlbfs: the size of its pages */
	inside = w->cfg.buffer_offset % page;
	w->map_bytes = (inside + w->buffer_bytes + page - 1) / page * page;
	map = mmap(NULL, w->map_bytes, prot, MAP_SHARED, w->cfg.buffer_fd,
		   (off_t)(w->cfg.buffer_offset - inside));
	if (map == MAP_FAILED)
		return -errno;
	w->map = map;
	w->buffers = w->map + inside;
	return 0;
}

/* Map the buffers and touch every page: nothing faults in the window. */
int rp_buffers_open(struct rp_worker *w)
{
	uint32_t transfer = w->cfg.block_size;
	int ret;

	if (w->cfg.op == RP_OP_NOP)
		return 0;
	for (uint32_t i = 0; i < w->cfg.nr_files; i++) {
		if (w->files[i].transfer > transfer)
			transfer = w->files[i].transfer;
		if (w->files[i].metadata > w->metadata_stride)
			w->metadata_stride = w->files[i].metadata;
	}
	if (w->metadata_stride) {
		/* Integrity buffers are aligned to 4 bytes and more on all kernels. */
		w->metadata_stride = (w->metadata_stride + 63) & ~63u;
		w->metadata = aligned_alloc(PAGE, ((size_t)w->metadata_stride *
					    w->nr_slots + PAGE - 1) & ~(size_t)(PAGE - 1));
		if (!w->metadata)
			return -ENOMEM;
	}
	w->stride = stride_of(transfer);
	w->buffer_bytes = (size_t)w->stride * w->nr_slots;
	ret = map_buffers(w);
	for (size_t i = 0; !ret && i < w->buffer_bytes; i += PAGE)
		((volatile uint8_t *)w->buffers)[i] = 0;
	return ret;
}

/*
 * Register the buffers and tell each slot its index. From 6.15 a request
 * carries the segments of its own range only, and one region keeps a single
 * node hot; before, it carried the rest of the region with it, so that every
 * slot needs a region of its own. A ring takes 16384 of them, 1 GiB each.
 */
int rp_buffers_register(struct rp_worker *w, struct rp_report *report)
{
	const bool one_region = w->ring.features & IORING_FEAT_NO_IOWAIT;
	uint32_t per_region = 1, regions;

	/* The smallest number of slots a region with which 16384 suffice, or all that fit. */
	while (w->nr_slots > 16384ull * per_region ||
	       (one_region && per_region < w->nr_slots &&
		2ull * per_region * w->stride <= MAX_REGION))
		per_region *= 2;
	regions = (w->nr_slots + per_region - 1) / per_region;
	for (uint32_t i = 0; i < regions; i++) {
		uint32_t slots = w->nr_slots - i * per_region;

		if (slots > per_region)
			slots = per_region;
		w->iovecs[i].iov_base = w->buffers + (size_t)i * per_region * w->stride;
		w->iovecs[i].iov_len = (size_t)slots * w->stride;
	}
	for (uint32_t i = 0; i < w->nr_slots; i++)
		w->slots[i].buf_index = (uint16_t)(i / per_region);
	report->buffer_regions = regions;
	return io_uring_register_buffers(&w->ring, w->iovecs, regions);
}

void rp_buffers_close(struct rp_worker *w)
{
	if (w->map)
		munmap(w->map, w->map_bytes);
	w->map = NULL;
}
