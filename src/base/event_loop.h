/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one event loop's wait: a monotonic interval timer, signals as events, one input and one
 * output fd.
 */
#ifndef XDPTOP_EVENT_LOOP_H
#define XDPTOP_EVENT_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct event_loop {
	int timer, signals;
	int input;        /* -1 = none; may be changed between waits */
	int more;         /* -1 = none; a second input, of which only that it has more is wanted */
	int output;       /* -1 = none; watched for hangup always, for room only on want_room */
	bool want_room;   /* report LOOP_ROOM */
	uint64_t missed;  /* deadlines that passed while nobody waited, since the start */
	sigset_t blocked; /* the mask before, for event_loop_close() */
};

enum loop_event {
	LOOP_INTERVAL, /* a deadline passed (missed ones are merged; see loop.missed) */
	LOOP_INPUT,    /* input is readable */
	LOOP_MORE,     /* the second input is readable, or at its end */
	LOOP_ROOM,     /* output takes data */
	LOOP_SIGNAL,   /* *signal tells which */
	LOOP_HANGUP,   /* input reports POLLHUP or POLLERR: the terminal or the writer is gone */
	LOOP_CLOSED,   /* output reports POLLHUP or POLLERR: nobody reads it any more */
};

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT and takes them through
 * signalfd, except those that the caller ignores (nohup, a shell's &); ignores SIGPIPE
 * and SIGXFSZ: the write fails instead.
 * input < 0 = none; interval_s <= 0 = no deadlines. 0 or -errno, and then *t is closed.
 */
int event_loop_open(struct event_loop *loop, double interval_s, int input);
/* A new interval; the next deadline is one interval from now. 0 or -errno. */
int event_loop_set(struct event_loop *loop, double interval_s);
/*
 * Wait for the next event; timeout_ms < 0 = for ever, and -EAGAIN when it passed. When several are
 * there, signals come first, then hangups, the deadline, input, more, room.
 */
int event_loop_wait(struct event_loop *loop, int timeout_ms, enum loop_event *what, int *signal);
void event_loop_close(struct event_loop *loop);

#endif
