/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one event loop's wait: a monotonic interval timer, signals as events, one input and one
 * output fd.
 */
#ifndef XDPTOP_TICKER_H
#define XDPTOP_TICKER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct ticker {
	int timer, signals;
	int input;        /* -1 = none; may be changed between waits */
	int more;         /* -1 = none; a second input, of which only that it has more is wanted */
	int output;       /* -1 = none; watched for hangup always, for room only on want_room */
	bool want_room;   /* report TICK_ROOM */
	uint64_t missed;  /* deadlines that passed while nobody waited, since the start */
	sigset_t blocked; /* the mask before, for ticker_close() */
};

enum tick {
	TICK_INTERVAL, /* a deadline passed (missed ones are merged; see ticker.missed) */
	TICK_INPUT,    /* input is readable */
	TICK_MORE,     /* the second input is readable, or at its end */
	TICK_ROOM,     /* output takes data */
	TICK_SIGNAL,   /* *signal tells which */
	TICK_HANGUP,   /* input reports POLLHUP or POLLERR: the terminal or the writer is gone */
	TICK_CLOSED,   /* output reports POLLHUP or POLLERR: nobody reads it any more */
};

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT and takes them through
 * signalfd, except those that the caller ignores (nohup, a shell's &); ignores SIGPIPE
 * and SIGXFSZ: the write fails instead.
 * input < 0 = none; interval_s <= 0 = no deadlines. 0 or -errno, and then *t is closed.
 */
int ticker_open(struct ticker *t, double interval_s, int input);
/* A new interval; the next deadline is one interval from now. 0 or -errno. */
int ticker_set(struct ticker *t, double interval_s);
/*
 * Wait for the next event; timeout_ms < 0 = for ever, and -EAGAIN when it passed. When several are
 * there, signals come first, then hangups, the deadline, input, more, room.
 */
int ticker_wait(struct ticker *t, int timeout_ms, enum tick *what, int *signal);
void ticker_close(struct ticker *t);

#endif
