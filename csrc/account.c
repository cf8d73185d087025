/* SPDX-License-Identifier: MIT */
/* The rare paths of the loops: changes of phase, failures, error policy. */
#include <errno.h>
#include <string.h>

#include "worker.h"

/* Forget what was recorded before the window; it opens at `now`, since the epoch. */
static void clear_window(struct rp_worker *w, uint64_t now)
{
	if (w->hist)
		memset(w->hist, 0, RP_HIST_COUNTS * sizeof(*w->hist));
	w->window.over = 0;
	w->window.area = 0;
	w->integrated = now;
	memset(&w->split, 0, sizeof(w->split));
}

/* The phase has changed. Returns true when the loop must end. */
bool rp_turn(struct rp_worker *w)
{
	const uint32_t phase = __atomic_load_n(&w->phase, __ATOMIC_RELAXED);
	uint64_t now, stamp;

	rp_moment(w, &now, &stamp);
	if (phase == RP_PHASE_MEASURE) {
		clear_window(w, stamp);
		w->window.begin_ns = now;
		w->window_stamp = stamp;
		w->window_completed = w->counters.completed;
	} else if (phase == RP_PHASE_STOP) {
		if (!w->window.begin_ns) {
			clear_window(w, stamp);
		} else if (!w->window.end_ns) {
			if (w->hist)
				rp_integrate(w, stamp);
			w->window.end_ns = now;
			w->window.clock_ns = stamp - w->window_stamp;
			w->window.completed = w->counters.completed - w->window_completed;
		}
		/* Not noted as seen: a stopped worker stays stopped. */
		return true;
	}
	w->seen_phase = phase;
	return false;
}

/*
 * Errors that say that the request itself cannot be served here: every other
 * I/O to the same target ends like it, so the run is over. Media errors and
 * the like are counted, and the run goes on.
 */
static bool is_fatal(int err)
{
	switch (err) {
	case EINVAL:		/* alignment, unsupported operation */
	case EOPNOTSUPP:	/* polled without poll queues, from 6.11 */
	case EFAULT:
	case EBADF:
	case EPERM:
	case EACCES:		/* ring restrictions */
	case ENODEV:		/* the device has gone */
	case ENXIO:
	case ENOMEM:
		return true;
	}
	return false;
}

void rp_account_failure(struct rp_worker *w, uint32_t file, int32_t res)
{
	const bool is_short = res >= 0 && !(w->cfg.flags & RP_PASSTHROUGH);
	const int32_t code = is_short ? 0 : res;
	uint32_t i;

	rp_publish(&w->counters.failed, w->counters.failed + 1);
	if (is_short)
		rp_publish(&w->counters.shorts, w->counters.shorts + 1);
	for (i = 0; i < RP_ERRORS - 1; i++)
		if (!w->errors[i].count ||
		    (w->errors[i].code == code && w->errors[i].file == file))
			break;
	/* More kinds than places: the last one collects the rest. */
	if (!w->errors[i].count) {
		__atomic_store_n(&w->errors[i].code, code, __ATOMIC_RELAXED);
		__atomic_store_n(&w->errors[i].file, file, __ATOMIC_RELAXED);
	}
	/* Whoever reads a count above 0 must see which kind it is the count of. */
	__atomic_store_n(&w->errors[i].count, w->errors[i].count + 1, __ATOMIC_RELEASE);
	if (!w->fatal && (is_fatal(-code) || w->cfg.flags & RP_FIRST_ERROR)) {
		/* A short read and an NVMe status have no errno. */
		w->fatal = code < 0 ? (uint32_t)-code : EIO;
		w->fatal_file = file;
	}
}

/*
 * After a round in which entering failed or an I/O ended the run. Returns 0
 * to carry on, or the negative errno that ends it.
 */
int rp_enter_error(struct rp_worker *w, int ret)
{
	if (w->fatal) {
		w->step = RP_STEP_REAP;
		return -(int)w->fatal;
	}
	switch (ret) {
	case -EINTR:	/* a signal: the next round looks at the phase */
	case -EAGAIN:	/* no memory for requests right now */
	case -EBUSY:	/* completions must be reaped first; they were */
		return 0;
	}
	w->step = RP_STEP_SUBMIT;
	return ret;
}
