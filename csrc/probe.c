/* SPDX-License-Identifier: MIT */
/* Which ring this kernel can set up. */
#include <errno.h>
#include <unistd.h>

#include "worker.h"

/*
 * Flags that make a ring faster and change nothing else, newest first: the
 * order in which they are dropped when the kernel does not know them.
 */
static const uint32_t ladder[] = {
	IORING_SETUP_NO_SQARRAY,	/* 6.6 */
	IORING_SETUP_DEFER_TASKRUN,	/* 6.1 */
	IORING_SETUP_SINGLE_ISSUER,	/* 6.0 */
	IORING_SETUP_COOP_TASKRUN,	/* 5.19 */
	IORING_SETUP_SUBMIT_ALL,	/* 5.18 */
	IORING_SETUP_CQSIZE,		/* 5.5 */
};

/* Open and close a 1-entry ring. Returns 0 or a negative errno. */
static int try_setup(uint32_t flags, uint32_t *features)
{
	struct io_uring_params p = { .flags = flags };
	int fd;

	if (flags & IORING_SETUP_CQSIZE)
		p.cq_entries = 2;
	/* An affinity that exists nowhere would be refused for its own sake. */
	p.flags &= ~IORING_SETUP_SQ_AFF;
	fd = io_uring_setup(1, &p);
	if (fd < 0)
		return fd;
	*features = p.features;
	close(fd);
	return 0;
}

/* The setup flags that the kernel knows, from 6.18 on; 0 when it cannot say. */
static uint64_t query_setup_flags(void)
{
	struct rp_query_opcodes answer = { 0 };
	struct rp_query_hdr hdr = {
		.query_data = (uint64_t)(uintptr_t)&answer,
		.query_op = RP_QUERY_OPCODES,
		.size = sizeof(answer),
	};

	if (io_uring_register((unsigned int)-1, RP_REGISTER_QUERY, &hdr, 0) < 0 ||
	    hdr.result < 0)
		return 0;
	return answer.ring_setup_flags;
}

/* DEFER_TASKRUN is refused without SINGLE_ISSUER. */
static uint32_t consistent(uint32_t flags)
{
	if (!(flags & IORING_SETUP_SINGLE_ISSUER))
		flags &= ~IORING_SETUP_DEFER_TASKRUN;
	return flags;
}

int rp_probe_setup(uint32_t required, uint32_t wanted, uint32_t *granted,
		   uint32_t *features)
{
	uint64_t known;
	int ret;

	*granted = 0;
	*features = 0;
	/* Is there io_uring at all? EINVAL can then only mean the flags. */
	ret = try_setup(0, features);
	if (ret < 0)
		return ret;
	known = query_setup_flags();
	if (known) {
		if (required & ~known)
			return -EINVAL;
		wanted &= (uint32_t)known;
	}
	ret = try_setup(consistent(required | wanted), features);
	for (size_t i = 0; ret == -EINVAL && i < sizeof(ladder) / sizeof(*ladder); i++) {
		if (!(wanted & ladder[i]))
			continue;
		wanted &= ~ladder[i];
		ret = try_setup(consistent(required | wanted), features);
	}
	if (ret < 0)
		return ret;
	*granted = consistent(required | wanted);
	return 0;
}
