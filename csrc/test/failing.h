/* SPDX-License-Identifier: MIT */
/* What the tests of failing I/O share: a few small files, and a worker for them. */
#ifndef RP_TEST_FAILING_H
#define RP_TEST_FAILING_H

#include "../worker.h"
#include "rig.h"

#define FILES	3u
#define SIZE	4096u

static uint32_t fast;
static struct rp_file files[FILES];

static void open_files(int direct)
{
	for (uint32_t i = 0; i < FILES; i++)
		files[i] = (struct rp_file){ .fd = file_of(0, 64, SIZE, direct), .blocks = 64 };
}

static void close_files(void)
{
	for (uint32_t i = 0; i < FILES; i++)
		close(files[i].fd);
}

static struct rp_config config(uint32_t engine, uint32_t nr_files)
{
	struct rp_config cfg = config_of(RP_OP_RANDOM, engine == RP_ENGINE_SYNC ? 1 : 16,
					 SIZE, nr_files);

	cfg.engine = engine;
	cfg.setup_flags = fast;
	return cfg;
}

#endif
