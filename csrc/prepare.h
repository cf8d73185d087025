/* SPDX-License-Identifier: MIT */
/*
 * Preparing a round's SQEs; inlined into each instance of the loop.
 *
 * One file: the SQE of a ring slot is prefilled with its own buffer, and a
 * round stores offsets only. Several files: a free slot, with its buffer and
 * file, is taken per I/O, and more of the SQE is stored.
 */
#ifndef RP_PREPARE_H
#define RP_PREPARE_H

#include "worker.h"

/* With 128-byte SQEs and 32-byte CQEs, one entry takes two array elements. */
#define STEP(cmd)	((cmd) ? 2 : 1)

/* Where an SQE holds its offset: bytes for a read, an LBA for a command. */
RP_HOT void store_offset(struct io_uring_sqe *sqe, const uint64_t offset,
			 const bool cmd)
{
	if (cmd)
		((struct rp_nvme_cmd *)sqe->cmd)->slba = offset;
	else
		sqe->off = offset;
}

/*
 * SQEs [sqe, end) for a single file. The state of the offset stream lives in
 * locals: the stores to SQEs could otherwise alias it.
 */
RP_HOT void prepare_one_file(struct rp_worker *w, struct io_uring_sqe *sqe,
			     struct io_uring_sqe *end, const uint64_t stamp,
			     const uint32_t op, const bool timed, const bool cmd)
{
	struct rp_range range = { 0 };
	uint64_t random = w->random;

	if (op != RP_OP_NOP)
		range = w->ranges[0];
	for (; sqe < end; sqe += STEP(cmd)) {
		if (op != RP_OP_NOP)
			store_offset(sqe, rp_next_offset(&random, &range, op), cmd);
		if (timed)
			sqe->user_data = stamp;
	}
	if (op == RP_OP_RANDOM)
		w->random = random;
	if (op == RP_OP_SEQ)
		w->ranges[0].next = range.next;
}

/* What of a command depends on the file and the buffer. */
RP_HOT void store_command(struct rp_worker *w, struct io_uring_sqe *sqe,
			  const struct rp_slot *slot, const uint32_t id)
{
	struct rp_nvme_cmd *cmd = (struct rp_nvme_cmd *)sqe->cmd;
	const struct rp_file *file = &w->files[slot->file];

	cmd->nsid = file->nsid;
	cmd->addr = slot->addr;
	cmd->data_len = w->cfg.flags & RP_VECTORED ? 1 : file->transfer;
	cmd->cdw12 = (file->lbas - 1) | file->control;
	if (file->metadata) {
		cmd->metadata = (uint64_t)(uintptr_t)w->metadata +
				(uint64_t)id * w->metadata_stride;
		cmd->metadata_len = file->metadata;
	} else {
		cmd->metadata = 0;
		cmd->metadata_len = 0;
	}
}

/* The same for several: which file is read, and into which buffer, varies. */
RP_HOT void prepare_many_files(struct rp_worker *w, struct io_uring_sqe *sqe,
			       struct io_uring_sqe *end, const uint64_t stamp,
			       const uint32_t op, const bool cmd)
{
	uint64_t random = w->random;

	for (; sqe < end; sqe += STEP(cmd)) {
		const uint32_t id = w->free_slots[w->free_head++ & (w->nr_slots - 1)];
		const struct rp_slot slot = w->slots[id];
		uint32_t *in_flight = &w->file_in_flight[slot.file];

		store_offset(sqe, rp_next_offset(&random, &w->ranges[slot.file], op), cmd);
		if (cmd)
			store_command(w, sqe, &slot, id);
		else
			sqe->addr = slot.addr;
		sqe->fd = slot.fd;
		sqe->buf_index = slot.buf_index;
		sqe->user_data = stamp | id;
		/* For whoever prints in-flight counts; no order is implied. */
		__atomic_store_n(in_flight, *in_flight + 1, __ATOMIC_RELAXED);
	}
	w->random = random;
}

/* Prepare n SQEs behind the tail; they may wrap at the end of the ring. */
RP_HOT void prepare(struct rp_worker *w, const uint32_t tail, const uint32_t n,
		    const uint32_t op, const bool many, const bool timed,
		    const bool cmd)
{
	struct io_uring_sqe *const sqes = w->ring.sq.sqes;
	const uint32_t entries = w->ring.sq.ring_entries;
	const uint32_t at = tail & (entries - 1);
	const uint32_t fit = n < entries - at ? n : entries - at;
	struct io_uring_sqe *const first = sqes + (size_t)at * STEP(cmd);
	struct io_uring_sqe *const end = first + (size_t)fit * STEP(cmd);
	struct io_uring_sqe *const rest = sqes + (size_t)(n - fit) * STEP(cmd);
	uint64_t stamp = 0;

	if (op == RP_OP_NOP && !timed)
		return;		/* prefilled, and nothing differs */
	if (timed)
		stamp = rp_begin_round(w);
	if (many) {
		prepare_many_files(w, first, end, stamp, op, cmd);
		prepare_many_files(w, sqes, rest, stamp, op, cmd);
	} else {
		prepare_one_file(w, first, end, stamp, op, timed, cmd);
		prepare_one_file(w, sqes, rest, stamp, op, timed, cmd);
	}
}

#endif
