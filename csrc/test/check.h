/* SPDX-License-Identifier: MIT */
/* Checks for the C tests: 0 is a pass, 77 a skip, anything else a failure. */
#ifndef RP_TEST_CHECK_H
#define RP_TEST_CHECK_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77

/* What is being tried, for the message of a failure. */
static char check_case[256];

__attribute__((format(printf, 1, 2), unused))
static void trying(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(check_case, sizeof(check_case), format, ap);
	va_end(ap);
}

#define CHECK(cond) do {						\
	if (!(cond)) {							\
		printf("%s:%d: [%s] failed: %s\n", __FILE__, __LINE__,	\
		       check_case, #cond);				\
		fflush(stdout);						\
		_exit(1);						\
	}								\
} while (0)

#define CHECK_OP(got, op, want) do {					\
	const int64_t got_ = (int64_t)(got), want_ = (int64_t)(want);	\
									\
	if (!(got_ op want_)) {						\
		printf("%s:%d: [%s] failed: %s is %lld, not %s %lld (%s)\n",	\
		       __FILE__, __LINE__, check_case, #got,		\
		       (long long)got_, #op, (long long)want_, #want);	\
		fflush(stdout);						\
		_exit(1);						\
	}								\
} while (0)

#define CHECK_EQ(got, want) CHECK_OP(got, ==, want)

__attribute__((format(printf, 1, 2), noreturn, unused))
static void skip(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	exit(SKIPPED);
}

/*
 * Run fn in a child, which changes what cannot be changed back: its user, its
 * system call filter. It ends by exit(3), so that LeakSanitizer looks at it.
 */
__attribute__((unused))
static void in_child(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		fn();
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		printf("[%s] killed by signal %d\n", check_case, WTERMSIG(status));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		exit(1);
}

#endif
