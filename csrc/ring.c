/* SPDX-License-Identifier: MIT */
/* The io_uring engine outside its loop: setting a ring up, prefilling, closing. */
#include <errno.h>
#include <string.h>

#include "worker.h"

/* What a restricted ring may do: what its run needs, and closing. */
static int restrict_ring(struct rp_worker *w, uint8_t opcode)
{
	struct io_uring_restriction allow[] = {
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = opcode },
		{ .opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED,
		  .sqe_flags = IOSQE_FIXED_FILE },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
		  .register_op = IORING_REGISTER_ENABLE_RINGS },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
		  .register_op = IORING_UNREGISTER_BUFFERS },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
		  .register_op = IORING_UNREGISTER_FILES },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
		  .register_op = IORING_UNREGISTER_RING_FDS },
	};
	uint32_t nr = sizeof(allow) / sizeof(*allow);
	int ret;

	/* Kernels before 5.18 refuse to hear of the last one. */
	if (!(w->enter_flags & IORING_ENTER_REGISTERED_RING))
		nr--;
	ret = io_uring_register_restrictions(&w->ring, allow, nr);
	return ret < 0 ? ret : io_uring_enable_rings(&w->ring);
}

static uint8_t opcode_of(const struct rp_config *cfg)
{
	if (cfg->op == RP_OP_NOP)
		return IORING_OP_NOP;
	if (cfg->flags & RP_PASSTHROUGH)
		return IORING_OP_URING_CMD;
	if (cfg->flags & RP_FIXED_BUFS)
		return IORING_OP_READ_FIXED;
	return cfg->flags & RP_VECTORED ? IORING_OP_READV : IORING_OP_READ;
}

/* What a slot's SQE keeps for the whole run: a plain read. */
static void prefill_read(struct rp_worker *w, struct io_uring_sqe *sqe,
			 const struct rp_slot *slot)
{
	sqe->addr = slot->addr;
	sqe->len = sqe->opcode == IORING_OP_READV ? 1 : w->cfg.block_size;
}

/* An NVMe read command, in the second half of a 128-byte SQE. */
static void prefill_command(struct rp_worker *w, struct io_uring_sqe *sqe,
			    uint32_t id)
{
	const struct rp_slot *slot = &w->slots[id];
	const struct rp_file *file = &w->files[slot->file];
	struct rp_nvme_cmd *cmd = (struct rp_nvme_cmd *)sqe->cmd;
	const bool vectored = w->cfg.flags & RP_VECTORED;

	sqe->cmd_op = vectored ? RP_NVME_URING_CMD_IO_VEC : RP_NVME_URING_CMD_IO;
	if (w->cfg.flags & RP_FIXED_BUFS)
		sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
	cmd->opcode = RP_NVME_READ;
	cmd->nsid = file->nsid;
	cmd->addr = slot->addr;
	cmd->data_len = vectored ? 1 : file->transfer;
	cmd->cdw12 = (file->lbas - 1) | file->control;
	if (file->metadata) {
		cmd->metadata = (uint64_t)(uintptr_t)w->metadata +
				(uint64_t)id * w->metadata_stride;
		cmd->metadata_len = file->metadata;
	}
}

static void prefill_sqe(struct rp_worker *w, uint32_t i, uint8_t opcode)
{
	const bool is_cmd = opcode == IORING_OP_URING_CMD;
	const uint32_t id = i & (w->nr_slots - 1);
	struct io_uring_sqe *sqe = &w->ring.sq.sqes[(size_t)i * (is_cmd ? 2 : 1)];

	memset(sqe, 0, sizeof(*sqe) * (is_cmd ? 2 : 1));
	sqe->opcode = opcode;
	sqe->user_data = i;
	if (opcode == IORING_OP_NOP)
		return;
	if (w->cfg.flags & RP_FIXED_FILES)
		sqe->flags = IOSQE_FIXED_FILE;
	sqe->fd = w->slots[id].fd;
	sqe->buf_index = w->slots[id].buf_index;
	if (is_cmd)
		prefill_command(w, sqe, id);
	else
		prefill_read(w, sqe, &w->slots[id]);
}

/* Vectored: one iovec per slot, which its SQE points at. */
static void point_at_iovecs(struct rp_worker *w)
{
	const bool is_cmd = w->cfg.flags & RP_PASSTHROUGH;

	for (uint32_t i = 0; i < w->nr_slots; i++) {
		w->iovecs[i].iov_base = (void *)(uintptr_t)w->slots[i].addr;
		w->iovecs[i].iov_len = is_cmd ? w->files[w->slots[i].file].transfer :
				       w->cfg.block_size;
		w->slots[i].addr = (uint64_t)(uintptr_t)&w->iovecs[i];
	}
}

static int register_all(struct rp_worker *w, struct rp_report *report,
			uint8_t opcode)
{
	int ret;

	if (w->cfg.flags & RP_FIXED_BUFS && opcode != IORING_OP_NOP) {
		report->step = RP_STEP_BUFFERS;
		/* Before 6.15 NVMe refuses such a command, and 6.1 warns in its log. */
		if (opcode == IORING_OP_URING_CMD && w->cfg.flags & RP_VECTORED &&
		    !(w->ring.features & IORING_FEAT_NO_IOWAIT))
			return -EOPNOTSUPP;
		ret = rp_buffers_register(w, report);
		if (ret < 0)
			return ret;
	}
	if (w->cfg.flags & RP_FIXED_FILES && w->cfg.nr_files) {
		report->step = RP_STEP_FILES;
		ret = io_uring_register_files(&w->ring, w->fds, w->cfg.nr_files);
		if (ret < 0)
			return ret;
		for (uint32_t i = 0; i < w->nr_slots; i++)
			w->slots[i].fd = w->slots[i].file;
	}
	if (w->cfg.flags & RP_FIXED_RING) {
		report->step = RP_STEP_RING_FD;
		ret = io_uring_register_ring_fd(&w->ring);
		/* Kernels before 5.18 do not know it; that much is reported. */
		if (ret < 0 && ret != -EINVAL)
			return ret;
		if (ret == 1) {
			w->enter_flags |= IORING_ENTER_REGISTERED_RING;
			report->fixed_ring = 1;
		}
	}
	if (w->cfg.flags & RP_RESTRICTED) {
		report->step = RP_STEP_RESTRICT;
		ret = restrict_ring(w, opcode);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int uring_open(struct rp_worker *w, struct rp_report *report)
{
	struct io_uring_params p = { .flags = w->cfg.setup_flags };
	const uint8_t opcode = opcode_of(&w->cfg);
	int ret;

	/* As many CQEs as can be in flight: the CQ cannot overflow. */
	if (p.flags & IORING_SETUP_CQSIZE)
		p.cq_entries = w->cfg.depth;
	p.sq_thread_cpu = w->cfg.sqpoll_cpu;
	p.sq_thread_idle = w->cfg.sqpoll_idle_ms;
	report->step = RP_STEP_SETUP;
	ret = io_uring_queue_init_params(w->cfg.depth, &w->ring, &p);
	if (ret < 0)
		return ret;
	/* Polled completions appear only in a call that looks for events. */
	if (p.flags & IORING_SETUP_IOPOLL)
		w->enter_flags = IORING_ENTER_GETEVENTS;
	report->setup_flags = p.flags;
	report->features = p.features;
	report->sq_entries = w->ring.sq.ring_entries;
	report->cq_entries = w->ring.cq.ring_entries;
	report->opcode = opcode;
	ret = register_all(w, report, opcode);
	if (ret < 0) {
		io_uring_queue_exit(&w->ring);
		return ret;
	}
	w->enter_fd = w->ring.enter_ring_fd;
	if (w->cfg.flags & RP_VECTORED && opcode != IORING_OP_READ_FIXED &&
	    opcode != IORING_OP_NOP)
		point_at_iovecs(w);
	for (uint32_t i = 0; i < w->ring.sq.ring_entries; i++)
		prefill_sqe(w, i, opcode);
	w->batch = rp_uring_batch(&w->cfg);
	report->step = RP_STEP_NONE;
	return 0;
}

static void uring_close(struct rp_worker *w)
{
	/*
	 * The kernel takes a ring apart some time after its end: until then an
	 * unmount of what was read is refused, and pinned buffers count. Both
	 * calls fail where nothing is registered.
	 */
	io_uring_unregister_buffers(&w->ring);
	io_uring_unregister_files(&w->ring);
	io_uring_queue_exit(&w->ring);
}

const struct rp_engine rp_uring_engine = {
	.open = uring_open,
	.sample = rp_uring_sample,
	.reap = rp_uring_reap,
	.close = uring_close,
};
