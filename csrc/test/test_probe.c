/* SPDX-License-Identifier: MIT */
/* Which ring flags are granted, when the kernel can say so and when it must be tried. */
#include <stdbool.h>

#include "../compat.h"
#include "rig.h"
#include "sandbox.h"

#define UNKNOWN (1u << 31)
#define OLDEST (IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE)

static const uint32_t ladder[] = {
	IORING_SETUP_NO_SQARRAY, IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_SINGLE_ISSUER,
	IORING_SETUP_COOP_TASKRUN, IORING_SETUP_SUBMIT_ALL, IORING_SETUP_CQSIZE,
};

static uint32_t granted, features;
static uint32_t all;	/* that this kernel knows of the ladder */

static int probe(uint32_t required, uint32_t wanted)
{
	const uint32_t fds = count_fds();
	int ret;

	granted = features = 0xdeadbeef;
	ret = rp_probe_setup(required, wanted, &granted, &features);
	CHECK_EQ(count_fds(), fds);
	/* Never more than was asked for, never less than was demanded. */
	CHECK_EQ(granted & ~(required | wanted), 0);
	if (!ret) {
		CHECK_EQ(granted & required, required);
		CHECK_OP(features, !=, 0);
	} else {
		CHECK_EQ(granted, 0);
	}
	/* The kernel takes the one with the other only. */
	if (granted & IORING_SETUP_DEFER_TASKRUN)
		CHECK(granted & IORING_SETUP_SINGLE_ISSUER);
	return ret;
}

/* What is granted can be opened. */
static void opens(void)
{
	struct rp_config cfg = config_of(RP_OP_NOP, 4, 0, 0);
	struct rp_worker *w;

	cfg.setup_flags = granted;
	w = open_worker(&cfg, NULL);
	CHECK_EQ(rp_batch(w, 10), 0);
	stop_and_drain(w, &cfg);
	rp_close(w);
}

/* The same is granted, whichever way it is found out. */
static void test_ladder(void)
{
	CHECK_EQ(probe(0, 0), 0);
	CHECK_EQ(granted, 0);
	CHECK_EQ(probe(0, FAST_FLAGS), 0);
	CHECK_EQ(granted, all);
	opens();
	for (uint32_t i = 0; i < sizeof(ladder) / sizeof(*ladder); i++) {
		uint32_t without = all & ~ladder[i];

		if (!(without & IORING_SETUP_SINGLE_ISSUER))
			without &= ~IORING_SETUP_DEFER_TASKRUN;
		CHECK_EQ(probe(0, FAST_FLAGS & ~ladder[i]), 0);
		CHECK_EQ(granted, without);
		opens();
		if (!(all & ladder[i]))
			CHECK_EQ(probe(ladder[i], 0), -EINVAL);
	}
	CHECK_EQ(probe(UNKNOWN, FAST_FLAGS), -EINVAL);
	CHECK_EQ(probe(UNKNOWN, 0), -EINVAL);
}

/* COOP and DEFER exclude an SQ thread: they are the caller's to leave out, and stay out. */
static void test_sqpoll(void)
{
	CHECK_EQ(probe(IORING_SETUP_SQPOLL, SQPOLL_FLAGS), 0);
	CHECK_EQ(granted & (IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN), 0);
	opens();
	CHECK_EQ(probe(IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF, SQPOLL_FLAGS), 0);
	/* Asked for nevertheless, what contradicts is dropped, not what is demanded. */
	CHECK_EQ(probe(IORING_SETUP_SQPOLL, FAST_FLAGS), 0);
	CHECK_EQ(granted & (IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN), 0);
	/* One at a time, the newest first: the older ones stay. */
	CHECK_EQ(granted & OLDEST, all & OLDEST);
	opens();
	CHECK_EQ(probe(IORING_SETUP_IOPOLL, FAST_FLAGS), 0);
}

static int error;

/* No REGISTER_QUERY, as before 6.18: the flags are found by trying. */
static void child_no_query(void)
{
	fail_syscall(SYS_io_uring_register, RP_REGISTER_QUERY, EINVAL);
	test_ladder();
	test_sqpoll();
	/* A wanted flag that nobody knows is not on the ladder: nothing is granted. */
	CHECK_EQ(probe(0, FAST_FLAGS | UNKNOWN), -EINVAL);
}

static void child_no_uring(void)
{
	fail_syscall(SYS_io_uring_setup, ANY_OPCODE, error);
	CHECK_EQ(probe(0, FAST_FLAGS), -error);
	CHECK_EQ(probe(IORING_SETUP_SQPOLL, SQPOLL_FLAGS), -error);
	CHECK_EQ(probe(UNKNOWN, 0), -error);
}

static bool kernel_answers_queries(void)
{
	struct rp_query_opcodes answer = { 0 };
	struct rp_query_hdr hdr = {
		.query_data = (uint64_t)(uintptr_t)&answer,
		.query_op = RP_QUERY_OPCODES,
		.size = sizeof(answer),
	};

	return io_uring_register((unsigned int)-1, RP_REGISTER_QUERY, &hdr, 0) >= 0 &&
	       hdr.result >= 0 && answer.ring_setup_flags;
}

int main(void)
{
	static const int errors[] = { EPERM, ENOSYS, ENOMEM };

	trying("as this kernel is");
	all = granted_flags(0, FAST_FLAGS);
	test_ladder();
	test_sqpoll();
	if (kernel_answers_queries()) {
		trying("a wanted flag that the kernel says it does not know");
		CHECK_EQ(probe(0, FAST_FLAGS | UNKNOWN), 0);
		CHECK_EQ(granted, all);
		opens();
	}
	trying("without REGISTER_QUERY");
	in_child(child_no_query);
	for (uint32_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		error = errors[i];
		trying("io_uring_setup: %s", strerror(error));
		in_child(child_no_uring);
	}
	return 0;
}
