/* SPDX-License-Identifier: MIT */
/* Makes chosen system calls fail in this process and its children, for good. */
#ifndef RP_TEST_SANDBOX_H
#define RP_TEST_SANDBOX_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "check.h"

#define ANY_OPCODE 0xffffffffu

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_HALF(arg) (offsetof(struct seccomp_data, args[arg]))
#else
#define LOW_HALF(arg) (offsetof(struct seccomp_data, args[arg]) + 4)
#endif

/*
 * Let system call nr fail with error, whatever its arguments, or only when
 * its second one is opcode (less the bit that says that the descriptor is a
 * registered one): enough to tell the operations of io_uring_register(2).
 */
__attribute__((unused))
static void fail_syscall(long nr, uint32_t opcode, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW_HALF(1)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7fffffff),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, opcode, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(*code), code };

	if (opcode == ANY_OPCODE)
		code[4] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 0);
	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog), 0);
}

#endif
