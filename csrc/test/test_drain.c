/* SPDX-License-Identifier: MIT */
/*
 * A target that hangs: the batch comes back on a signal, the drain in time,
 * and both say what is missing. An eventfd at 0 is a read that never ends.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "rig.h"

#define SIZE 8u
#define SOON_NS 5000000000ull	/* on a busy machine; the fault to find takes for ever */

static uint32_t signals;

static void on_signal(int number)
{
	(void)number;
	__atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
}

static void handle_signals(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	CHECK_EQ(sigaction(SIGURG, &action, NULL), 0);
}

struct kicker {
	struct rp_worker *w;
	pthread_t thread;
	uint32_t done;
	uint64_t stopped_ns;
};

/* Let the worker fall asleep, then stop it as Go does: phase, then signals until it is back. */
static void *kick(void *arg)
{
	const struct timespec nap = { .tv_nsec = 50000000 }, tick = { .tv_nsec = 5000000 };
	struct kicker *k = arg;

	nanosleep(&nap, NULL);
	CHECK_EQ(__atomic_load_n(&k->done, __ATOMIC_ACQUIRE), 0);
	/* A signal alone changes nothing. */
	CHECK_EQ(pthread_kill(k->thread, SIGURG), 0);
	nanosleep(&nap, NULL);
	CHECK_EQ(__atomic_load_n(&k->done, __ATOMIC_ACQUIRE), 0);
	k->stopped_ns = now_ns();
	rp_set_phase(k->w, RP_PHASE_STOP);
	while (!__atomic_load_n(&k->done, __ATOMIC_ACQUIRE)) {
		CHECK_EQ(pthread_kill(k->thread, SIGURG), 0);
		nanosleep(&tick, NULL);
	}
	return NULL;
}

/* A batch of many rounds, which sleeps; it must return 1 soon after the stop. */
static void batch_until_kicked(struct rp_worker *w)
{
	struct kicker k = { .w = w, .thread = pthread_self() };
	uint64_t returned_ns;
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, kick, &k), 0);
	CHECK_EQ(rp_batch(w, UINT32_MAX), 1);
	returned_ns = now_ns();
	__atomic_store_n(&k.done, 1, __ATOMIC_RELEASE);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_OP(returned_ns - k.stopped_ns, <, SOON_NS);
}

/* The drain gives up at its deadline, not before and not much later. */
static void drain_times_out(struct rp_worker *w, uint64_t limit)
{
	const uint64_t begin = now_ns();

	CHECK_EQ(rp_drain(w, begin + limit), -ETIMEDOUT);
	CHECK_OP(now_ns() - begin, >=, limit);
	CHECK_OP(now_ns() - begin, <, limit + SOON_NS);
}

/* `files` eventfds, the last of which hangs with all its share of the depth. */
static void test_hang(uint32_t depth, uint32_t files, uint32_t flags, uint32_t setup,
		      int signal_flags)
{
	struct rp_config cfg = config_of(RP_OP_RANDOM, depth, SIZE, files);
	const uint32_t hung = files - 1, share = depth / files;
	struct rp_file file[3];
	const uint64_t many = 1000000000;
	struct rp_worker *w;

	trying("hang, depth %u, %u files, flags %#x, setup %#x, SA_RESTART %d", depth, files,
	       flags, setup, !!(signal_flags & SA_RESTART));
	handle_signals(signal_flags);
	for (uint32_t i = 0; i < files; i++)
		file[i] = (struct rp_file){
			.fd = eventfd(i == hung ? 0 : 1000000, EFD_SEMAPHORE), .blocks = 1 };
	cfg.flags = flags;
	cfg.setup_flags = setup;
	cfg.sqpoll_idle_ms = 10;
	w = open_worker(&cfg, file);
	/* It waits for all of the depth, so that the hung ones suffice to keep it asleep. */
	batch_until_kicked(w);
	check_counters(w, &cfg, files == 1 ? (int64_t)depth : -1);
	drain_times_out(w, 100000000);
	check_counters(w, &cfg, share);
	for (uint32_t i = 0; files > 1 && i < files; i++)
		CHECK_EQ(in_flight_of(w, i), i == hung ? share : 0);
	drain_times_out(w, 0);
	CHECK_EQ(write(file[hung].fd, &many, sizeof(many)), sizeof(many));
	stop_and_drain(w, &cfg);
	CHECK_EQ(rp_counters(w)->failed, 0);
	CHECK_EQ(rp_errors(w)[0].count, 0);
	rp_close(w);
	for (uint32_t i = 0; i < files; i++)
		close(file[i].fd);
}

/* Closing with I/O in flight is against the contract, but where it can be cancelled it ends. */
static void test_close_undrained(uint32_t setup)
{
	struct rp_config cfg = config_of(RP_OP_RANDOM, 4, SIZE, 1);
	struct rp_file file = { .fd = eventfd(0, 0), .blocks = 1 };
	struct rp_worker *w;

	trying("close undrained, setup %#x", setup);
	cfg.setup_flags = setup;
	w = open_worker(&cfg, &file);
	batch_until_kicked(w);
	rp_close(w);
	close(file.fd);
}

/*
 * The synchronous engine on a device that blocks: the kernel's log, read up to
 * its end. With SA_RESTART the kernel would begin the read anew by itself.
 */
static void test_sync(void)
{
	struct rp_config cfg = config_of(RP_OP_RANDOM, 1, 8192, 1);
	struct rp_file file = { .fd = open("/dev/kmsg", O_RDONLY | O_CLOEXEC), .blocks = 1 };
	struct rp_worker *w;

	trying("sync");
	if (file.fd < 0 || lseek(file.fd, 0, SEEK_END) < 0) {
		printf("sync engine not tried: /dev/kmsg: %s\n", strerror(errno));
		return;
	}
	handle_signals(0);
	cfg.engine = RP_ENGINE_SYNC;
	w = open_worker(&cfg, &file);
	batch_until_kicked(w);
	stop_and_drain(w, &cfg);
	rp_close(w);
	close(file.fd);
}

/* Nothing in flight: no deadline can be missed, not even one in the past. */
static void test_idle(void)
{
	struct rp_config cfg = config_of(RP_OP_NOP, 4, 0, 0);
	struct rp_worker *w = open_worker(&cfg, NULL);

	trying("idle");
	CHECK_EQ(rp_drain(w, 0), 0);
	CHECK_EQ(rp_batch(w, 3), 0);
	stop_and_drain(w, &cfg);
	CHECK_EQ(rp_drain(w, 0), 0);
	rp_close(w);
}

int main(void)
{
	const uint32_t fast = granted_flags(0, FAST_FLAGS);
	const uint32_t sqpoll = granted_flags(IORING_SETUP_SQPOLL, SQPOLL_FLAGS);
	static const int flags[] = { 0, SA_RESTART };

	test_idle();
	for (uint32_t i = 0; i < 2; i++) {
		test_hang(1, 1, 0, fast, flags[i]);
		test_hang(32, 1, RP_TIMED, fast, flags[i]);
		test_hang(6, 3, RP_FIXED_FILES | RP_FIXED_RING, fast, flags[i]);
		test_hang(6, 3, 0, 0, flags[i]);
		test_hang(32, 1, 0, sqpoll, flags[i]);
		test_hang(6, 2, RP_TIMED, sqpoll, flags[i]);
	}
	test_sync();
	test_close_undrained(fast);
	test_close_undrained(sqpoll);
	return 0;
}
