/* SPDX-License-Identifier: MIT */
/*
 * Every failure of rp_open() says where it happened and leaves nothing
 * behind: no descriptor, no mapping, and, by LeakSanitizer, no memory.
 */
#include <sys/resource.h>

#include "rig.h"
#include "sandbox.h"

#define UNPRIVILEGED 65534

/* Freed memory must be gone when mappings are compared. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}

static struct rp_file file = { .blocks = 64 };
static struct rp_config cfg;	/* of the case being tried */
static uint32_t fast;

static void defaults(uint32_t flags)
{
	cfg = config_of(RP_OP_RANDOM, 32, 4096, 1);
	cfg.flags = flags;
	cfg.setup_flags = fast;
	if (flags & RP_RESTRICTED)
		cfg.setup_flags |= IORING_SETUP_R_DISABLED;
}

static void fails_once(const struct rp_file *files, int error, uint32_t step)
{
	struct rp_worker *w = (struct rp_worker *)&file;	/* must become NULL */
	struct rp_report report;

	memset(&report, 0xff, sizeof(report));
	CHECK_EQ(rp_open(&cfg, files, &report, &w), -error);
	CHECK(!w);
	CHECK_EQ(report.step, step);
	CHECK_OP(report.setup_flags, !=, 0xffffffff);
}

static void fails(const struct rp_file *files, int error, uint32_t step)
{
	uint64_t mapped, fds;

	fails_once(files, error, step);	/* the allocator's own needs are met now */
	fails_once(files, error, step);
	fds = count_fds();
	mapped = mapped_bytes();
	for (uint32_t i = 0; i < 5; i++)
		fails_once(files, error, step);
	CHECK_EQ(count_fds(), fds);
	CHECK_EQ(mapped_bytes(), mapped);
}

/* A configuration with one member changed; it is refused before anything is done. */
#define REFUSE(member, value) do {			\
	trying("%s = %s", #member, #value);		\
	defaults(0);					\
	cfg.member = (value);				\
	fails(&file, EINVAL, RP_STEP_CONFIG);		\
} while (0)

static void test_config(void)
{
	const struct rp_file good = file;

	REFUSE(engine, 3);
	REFUSE(op, 3);
	REFUSE(depth, 0);
	REFUSE(depth, RP_MAX_DEPTH + 1);
	REFUSE(depth, UINT32_MAX);
	REFUSE(submit, 0);
	REFUSE(submit, 33);
	REFUSE(complete, 0);
	REFUSE(complete, 33);
	REFUSE(block_size, 0);
	REFUSE(block_size, (1u << 30) + 1);
	REFUSE(nr_files, 0);
	REFUSE(nr_files, 65536);
	REFUSE(op, RP_OP_NOP);
	REFUSE(engine, RP_ENGINE_SYNC);
	trying("NOP with an engine that has none");
	for (uint32_t engine = RP_ENGINE_AIO; engine <= RP_ENGINE_SYNC; engine++) {
		cfg = config_of(RP_OP_NOP, 1, 4096, 0);
		cfg.engine = engine;
		fails(NULL, EINVAL, RP_STEP_CONFIG);
	}
	defaults(0);
	trying("a file without blocks");
	file.blocks = 0;
	fails(&file, EINVAL, RP_STEP_CONFIG);
	trying("a start beyond the end");
	file.blocks = 64;
	file.start_block = 64;
	fails(&file, EINVAL, RP_STEP_CONFIG);
	file = good;
}

static void test_bad_file(void)
{
	struct rp_file files[2] = { file, { .fd = -1, .blocks = 1 } };

	trying("registering a bad descriptor");
	defaults(RP_FIXED_FILES | RP_FIXED_BUFS);
	cfg.nr_files = 2;
	files[1].fd = 12345;
	fails(files, EBADF, RP_STEP_FILES);
}

static void test_bad_setup(void)
{
	trying("unknown ring flags");
	defaults(0);
	cfg.setup_flags = 1u << 31;
	fails(&file, EINVAL, RP_STEP_SETUP);
	trying("restrictions on a ring that is enabled already");
	defaults(RP_RESTRICTED | RP_FIXED_RING);
	cfg.setup_flags &= ~IORING_SETUP_R_DISABLED;
	fails(&file, EBADFD, RP_STEP_RESTRICT);
	trying("buffers in something that cannot be mapped");
	defaults(0);
	cfg.buffer_fd = 12345;
	fails(&file, EBADF, RP_STEP_MEMORY);
}

static void limit(int resource, uint64_t soft)
{
	struct rlimit now;

	CHECK_EQ(getrlimit(resource, &now), 0);
	now.rlim_cur = soft;
	CHECK_EQ(setrlimit(resource, &now), 0);
}

/* Locked memory is limited for those without CAP_IPC_LOCK only. */
static void child_locked(void)
{
	trying("RLIMIT_MEMLOCK");
	/* Room for the ring, also beside those of other tests that are still being freed. */
	limit(RLIMIT_MEMLOCK, 4 << 20);
	if (!geteuid())
		CHECK_EQ(setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED), 0);
	defaults(RP_FIXED_BUFS);
	cfg.block_size = 1 << 20;
	fails(&file, ENOMEM, RP_STEP_BUFFERS);
}

static void child_descriptors(void)
{
	struct rlimit before;
	int low;

	trying("RLIMIT_NOFILE");
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = dup(0);
	close(low);
	limit(RLIMIT_NOFILE, (uint64_t)low);
	defaults(0);
	for (uint32_t i = 0; i < 5; i++)
		fails_once(&file, EMFILE, RP_STEP_SETUP);
	limit(RLIMIT_NOFILE, before.rlim_cur);
}

static void child_memory(void)
{
	struct rlimit before;

	trying("RLIMIT_AS");
	CHECK_EQ(getrlimit(RLIMIT_AS, &before), 0);
	defaults(0);
	cfg.block_size = 1 << 20;
	limit(RLIMIT_AS, 1 << 20);
	for (uint32_t i = 0; i < 5; i++)
		fails_once(&file, ENOMEM, RP_STEP_MEMORY);
	limit(RLIMIT_AS, before.rlim_cur);
}

/* One operation of io_uring_register(2), or setting up itself, fails. */
static struct {
	const char *name;
	long nr;
	uint32_t opcode;
	uint32_t step;
} calls[] = {
	{ "setup", SYS_io_uring_setup, ANY_OPCODE, RP_STEP_SETUP },
	{ "buffers", SYS_io_uring_register, IORING_REGISTER_BUFFERS, RP_STEP_BUFFERS },
	{ "files", SYS_io_uring_register, IORING_REGISTER_FILES, RP_STEP_FILES },
	{ "ring fd", SYS_io_uring_register, IORING_REGISTER_RING_FDS, RP_STEP_RING_FD },
	{ "restrictions", SYS_io_uring_register, IORING_REGISTER_RESTRICTIONS,
	  RP_STEP_RESTRICT },
	{ "enable", SYS_io_uring_register, IORING_REGISTER_ENABLE_RINGS, RP_STEP_RESTRICT },
	{ "io_setup", SYS_io_setup, ANY_OPCODE, RP_STEP_SETUP },
};
static uint32_t call;
static int error;

static void child_fault(void)
{
	defaults(RP_FIXED_BUFS | RP_FIXED_FILES | RP_FIXED_RING | RP_RESTRICTED | RP_TIMED);
	if (calls[call].nr == SYS_io_setup)
		cfg.engine = RP_ENGINE_AIO;
	fail_syscall(calls[call].nr, calls[call].opcode, error);
	fails(&file, error, calls[call].step);
}

/* Before 5.18 the kernel answers EINVAL: run without, and say so. */
static void child_no_ring_fd(void)
{
	struct rp_report report;
	struct rp_worker *w;

	defaults(RP_FIXED_RING | RP_RESTRICTED);
	fail_syscall(SYS_io_uring_register, IORING_REGISTER_RING_FDS, EINVAL);
	CHECK_EQ(rp_open(&cfg, &file, &report, &w), 0);
	CHECK_EQ(report.fixed_ring, 0);
	CHECK_EQ(rp_batch(w, 100), 0);
	stop_and_drain(w, &cfg);
	rp_close(w);
}

/* Nothing fails: the report says what was granted, and closing gives all of it back. */
static void test_success(void)
{
	uint64_t mapped = 0, fds = count_fds();

	trying("success");
	for (uint32_t i = 0; i < 6; i++) {
		struct rp_report report;
		struct rp_worker *w;

		defaults(RP_FIXED_BUFS | RP_FIXED_FILES | RP_FIXED_RING | RP_RESTRICTED);
		CHECK_EQ(rp_open(&cfg, &file, &report, &w), 0);
		CHECK_EQ(report.step, RP_STEP_NONE);
		CHECK_EQ(report.setup_flags & fast, fast);
		CHECK_EQ(report.opcode, IORING_OP_READ_FIXED);
		CHECK_EQ(report.sq_entries, 32);
		CHECK_OP(report.cq_entries, >=, 32);
		CHECK_OP(report.buffer_regions, >=, 1);
		CHECK_EQ(report.buffer_bytes, 32 * 4096);
		CHECK_EQ(rp_batch(w, 10), 0);
		stop_and_drain(w, &cfg);
		rp_close(w);
		if (i == 1)
			mapped = mapped_bytes();
	}
	CHECK_EQ(mapped_bytes(), mapped);
	CHECK_EQ(count_fds(), fds);
	rp_close(NULL);
}

int main(void)
{
	static const int errors[] = { EPERM, ENOMEM, EINVAL, ENOSYS };

	fast = granted_flags(0, FAST_FLAGS);
	file.fd = file_of(0, 64, 4096, 0);
	test_success();
	test_config();
	test_bad_file();
	test_bad_setup();
	in_child(child_locked);
	in_child(child_descriptors);
	in_child(child_memory);
	for (call = 0; call < sizeof(calls) / sizeof(*calls); call++) {
		for (uint32_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
			error = errors[i];
			if (calls[call].opcode == IORING_REGISTER_RING_FDS && error == EINVAL)
				continue;
			trying("%s fails: %s", calls[call].name, strerror(error));
			in_child(child_fault);
		}
	}
	trying("ring fd unknown");
	in_child(child_no_ring_fd);
	close(file.fd);
	return 0;
}
