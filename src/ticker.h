/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one event loop's wait: a monotonic interval timer, signals as events, and one input fd.
 */
#ifndef XDPTOP_TICKER_H
#define XDPTOP_TICKER_H

#include <stdbool.h>
#include <stdint.h>

struct ticker {
	int timer, signals, input;
};

enum tick {
	TICK_INTERVAL, /* a deadline passed (missed ones are merged; see ticker.missed) */
	TICK_INPUT,    /* input is readable */
	TICK_SIGNAL,   /* *signal tells which */
	TICK_HANGUP,   /* the input fd reports POLLHUP or POLLERR: the terminal is gone */
};

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT and takes them through
 * signalfd; ignores SIGPIPE. input < 0 = none. 0 or -errno.
 */
int ticker_open(struct ticker *t, double interval_s, int input);
/* A new interval; the next deadline is one interval from now. */
int ticker_set(struct ticker *t, double interval_s);
/* Wait for the next event; timeout_ms < 0 = for ever, and -EAGAIN when it passed. */
int ticker_wait(struct ticker *t, int timeout_ms, enum tick *what, int *signal);
void ticker_close(struct ticker *t);

#endif
