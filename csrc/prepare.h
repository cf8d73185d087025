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
 * SQEs [sqe, end) for a single file, of which there is at least one. The state
 * of the offset stream lives in locals: the stores to SQEs could otherwise
 * alias it. Takes the stamp of the first I/O, returns that of the last.
 */
RP_HOT uint64_t prepare_one_file(struct rp_worker *w, struct io_uring_sqe *sqe,
				 struct io_uring_sqe *end, uint64_t stamp,
				 const uint32_t op, const uint32_t mode, const bool cmd)
{
	struct rp_range range = { 0 };
	uint64_t random = w->random;

	if (op != RP_OP_NOP)
		range = w->ranges[0];
	for (;;) {
		if (op != RP_OP_NOP)
			store_offset(sqe, rp_next_offset(&random, &range, op), cmd);
		if (mode != RP_STAMP_NEVER)
			sqe->user_data = stamp << RP_SLOT_BITS;
		sqe += STEP(cmd);
		if (sqe == end)
			break;
		if (mode >= RP_STAMP_EACH)
			stamp = rp_stamp_by(w, mode);
	}
	if (op == RP_OP_RANDOM)
		w->random = random;
	if (op == RP_OP_SEQ)
		w->ranges[0].next = range.next;
	return stamp;
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
RP_HOT uint64_t prepare_many_files(struct rp_worker *w, struct io_uring_sqe *sqe,
				   struct io_uring_sqe *end, uint64_t stamp,
				   const uint32_t op, const uint32_t mode, const bool cmd)
{
	uint64_t random = w->random;

	for (;;) {
		const uint32_t id = w->free_slots[w->free_head++ & (w->nr_slots - 1)];
		const struct rp_slot slot = w->slots[id];
		store_offset(sqe, rp_next_offset(&random, &w->ranges[slot.file], op), cmd);
		if (cmd)
			store_command(w, sqe, &slot, id);
		else
			sqe->addr = slot.addr;
		sqe->fd = slot.fd;
		sqe->buf_index = slot.buf_index;
		sqe->user_data = (stamp << RP_SLOT_BITS) | id;
		rp_count(&w->tallies[slot.file].taken);
		sqe += STEP(cmd);
		if (sqe == end)
			break;
		if (mode >= RP_STAMP_EACH)
			stamp = rp_stamp_by(w, mode);
	}
	w->random = random;
	return stamp;
}

RP_HOT uint64_t prepare_run(struct rp_worker *w, struct io_uring_sqe *sqe,
			    struct io_uring_sqe *end, const uint64_t stamp,
			    const uint32_t op, const bool many, const uint32_t mode,
			    const bool cmd)
{
	if (many)
		return prepare_many_files(w, sqe, end, stamp, op, mode, cmd);
	return prepare_one_file(w, sqe, end, stamp, op, mode, cmd);
}

/* Prepare n SQEs behind the tail; they may wrap at the end of the ring. */
RP_HOT void prepare(struct rp_worker *w, const uint32_t tail, const uint32_t n,
		    const uint32_t op, const bool many, const uint32_t mode,
		    const bool cmd)
{
	struct io_uring_sqe *const sqes = w->ring.sq.sqes;
	const uint32_t entries = w->ring.sq.ring_entries;
	const uint32_t at = tail & (entries - 1);
	const uint32_t fit = n < entries - at ? n : entries - at;
	struct io_uring_sqe *const first = sqes + (size_t)at * STEP(cmd);
	struct io_uring_sqe *const end = first + (size_t)fit * STEP(cmd);
	struct io_uring_sqe *const rest = sqes + (size_t)(n - fit) * STEP(cmd);
	uint64_t from = 0, to;

	if (op == RP_OP_NOP && mode == RP_STAMP_NEVER)
		return;		/* prefilled, and nothing differs */
	if (!n)
		return;
	if (mode != RP_STAMP_NEVER)
		from = rp_stamp_by(w, mode);
	to = prepare_run(w, first, end, from, op, many, mode, cmd);
	if (rest != sqes) {
		if (mode >= RP_STAMP_EACH)
			to = rp_stamp_by(w, mode);
		to = prepare_run(w, sqes, rest, to, op, many, mode, cmd);
	}
	if (mode != RP_STAMP_NEVER)
		rp_integrate_between(w, from, to);
}

#endif
