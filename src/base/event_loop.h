/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for an interval timer (CLOCK_MONOTONIC), signals, two input fds and one output fd. */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct event_loop {
	int timer, signals;
	int input;        /* -1 = none; may change between waits */
	int more;         /* second input, reported as LOOP_MORE; -1 = none */
	int output;       /* -1 = none; hangup is always reported */
	bool want_room;   /* wait only for a signal, and for the output: LOOP_ROOM or LOOP_CLOSED */
	uint64_t missed;  /* expirations merged into an earlier LOOP_INTERVAL */
	sigset_t blocked; /* the caller's mask; event_loop_close() restores it */
	/* replaces poll(2) for a caller that has other work meanwhile; NULL = poll(2) */
	int (*poll)(void *ctx, struct pollfd *fds, nfds_t n, int timeout_ms);
	void *ctx;
};

enum loop_event {
	LOOP_INTERVAL, /* the timer expired, once or more: see missed */
	LOOP_INPUT,    /* input is readable */
	LOOP_MORE,     /* `more` is readable or at its end */
	LOOP_ROOM,     /* output is writable */
	LOOP_SIGNAL,   /* in *signal */
	LOOP_HANGUP,   /* input reports POLLHUP or POLLERR: no terminal, or no writer */
	LOOP_CLOSED,   /* output reports POLLHUP or POLLERR: no reader */
};

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP and SIGCONT and reads them from a
 * signalfd; SIGHUP stays ignored if it is (nohup). Ignores SIGPIPE and SIGXFSZ: write() fails
 * instead. input < 0: none; interval_s <= 0: no timer. 0, or -errno and *loop is closed.
 */
int event_loop_open(struct event_loop *loop, double interval_s, int input);
/* Blocks these signals earlier, so that event_loop_ends() sees them and the loop takes them. */
void event_loop_block_signals(void);
/* Restarts the timer with a new interval. 0 or -errno. */
int event_loop_set(struct event_loop *loop, double interval_s);
/*
 * Waits for one event: 0, -EAGAIN after timeout_ms (< 0 = no timeout), or -errno. Of several,
 * signals come first, then hangups, input, the timer, more, room: on a line where a frame takes
 * longer than the interval, keys must not wait for the timer.
 */
int event_loop_wait(struct event_loop *loop, int timeout_ms, enum loop_event *what, int *signal);
/*
 * Whether a blocked signal that ends the program is pending. Long work between two waits asks this,
 * and stops.
 */
bool event_loop_ends(void);
void event_loop_close(struct event_loop *loop);
