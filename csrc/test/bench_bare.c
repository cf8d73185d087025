/* SPDX-License-Identifier: MIT */
/*
 * The limit: prefilled NOPs, one enter per batch, the head published once, no
 * check, no counter, no clock inside. What ringpeak does on top of this is its
 * own cost.
 *
 * bench_bare SECONDS DEPTH SUBMIT ROUNDS; prints completions per second. The
 * clock is read once per ROUNDS. The ring has the flags that ringpeak gets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <liburing.h>

#include "../ringpeak.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int set_up(struct io_uring *ring, unsigned int depth)
{
	struct io_uring_params p = { .cq_entries = depth };
	uint32_t flags, features;
	int ret;

	ret = rp_probe_setup(0, IORING_SETUP_NO_SQARRAY | IORING_SETUP_DEFER_TASKRUN |
			     IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN |
			     IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE,
			     &flags, &features);
	p.flags = flags;
	if (!ret)
		ret = io_uring_queue_init_params(depth, ring, &p);
	if (!ret)
		ret = io_uring_register_ring_fd(ring) == 1 ? 0 : -1;
	for (unsigned int i = 0; !ret && i < ring->sq.ring_entries; i++) {
		memset(&ring->sq.sqes[i], 0, sizeof(ring->sq.sqes[i]));
		ring->sq.sqes[i].opcode = IORING_OP_NOP;
	}
	return ret;
}

int main(int argc, char **argv)
{
	const unsigned int flags = IORING_ENTER_REGISTERED_RING;
	struct io_uring ring;
	unsigned int submit, tail = 0, head = 0;
	unsigned long rounds, done = 0;
	double start, end, seconds;

	if (argc != 5)
		return 2;
	seconds = atof(argv[1]);
	submit = (unsigned int)atoi(argv[3]);
	rounds = (unsigned long)atol(argv[4]);
	if (set_up(&ring, (unsigned int)atoi(argv[2]))) {
		fprintf(stderr, "bench_bare: no ring\n");
		return 4;
	}
	start = now();
	do {
		for (unsigned long i = 0; i < rounds; i++) {
			tail += submit;
			IO_URING_WRITE_ONCE(*ring.sq.ktail, tail);
			if (io_uring_enter(ring.enter_ring_fd, submit, 0, flags, NULL) < 0)
				return 1;
			head = io_uring_smp_load_acquire(ring.cq.ktail);
			io_uring_smp_store_release(ring.cq.khead, head);
		}
		done += rounds * submit;
		end = now();
	} while (end - start < seconds);
	printf("%.0f\n", (double)done / (end - start));
	io_uring_queue_exit(&ring);
	return head == tail ? 0 : 1;
}
