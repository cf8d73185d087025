/* SPDX-License-Identifier: MIT */
/* Looks at what arrives in the buffers: whole rounds, and the marks of file_of(). */
#ifndef RP_TEST_ROUNDS_H
#define RP_TEST_ROUNDS_H

#include "../worker.h"
#include "rig.h"

#define SIZE	512u	/* of a block, and from one buffer to the next */

/* The mark in the buffer of a slot; the rest of the block is zero, or was never read. */
__attribute__((unused))
static uint64_t mark_of(const struct rp_worker *w, uint32_t slot)
{
	const uint8_t *buffer = w->buffers + (size_t)slot * w->stride;
	uint64_t mark;

	memcpy(&mark, buffer, sizeof(mark));
	for (uint32_t i = sizeof(mark); i < w->stride; i++)
		CHECK_EQ(buffer[i], 0);
	return mark;
}

/* One round that submits and reaps the whole depth: each buffer holds a new block. */
__attribute__((unused))
static void whole_round(struct rp_worker *w)
{
	const uint64_t before = rp_counters(w)->completed;

	for (uint32_t i = 0; i < w->nr_slots; i++)
		memset(w->buffers + (size_t)i * w->stride, 0, SIZE);
	do
		CHECK_EQ(rp_batch(w, 1), 0);
	while (rp_counters(w)->completed - before < w->cfg.depth);
	CHECK_EQ(rp_counters(w)->completed - before, w->cfg.depth);
	CHECK_EQ(rp_counters(w)->failed, 0);
}

__attribute__((unused))
static void close_worker(struct rp_worker *w, const struct rp_config *cfg)
{
	stop_and_drain(w, cfg);
	rp_close(w);
}

#endif
