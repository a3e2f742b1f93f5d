// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/event_loop.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "base/clock.h"

static const int handled_signals[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT,
};

/*
 * A blocked signal reaches a signalfd even when its disposition is "ignore" (kernel/signal.c,
 * sig_ignored()), so without this check nohup would not protect the program.
 */
static bool is_ignored(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

static sigset_t signals_taken(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(handled_signals) / sizeof(handled_signals[0]); i++) {
		/*
		 * Shells without job control ignore SIGINT in background processes, but kill -INT
		 * must still end a recording cleanly.
		 */
		if (handled_signals[i] != SIGHUP || !is_ignored(SIGHUP))
			sigaddset(&set, handled_signals[i]);
	}
	return set;
}

void event_loop_block_signals(void)
{
	const sigset_t set = signals_taken();

	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int open_signals(struct event_loop *loop)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const sigset_t set = signals_taken();

	loop->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (loop->signals < 0 || sigprocmask(SIG_BLOCK, &set, NULL) < 0 ||
	    sigaction(SIGPIPE, &ignore, NULL) < 0 || sigaction(SIGXFSZ, &ignore, NULL) < 0)
		return -errno;
	return 0;
}

int event_loop_open(struct event_loop *loop, double interval_s, int input)
{
	int err;

	memset(loop, 0, sizeof(*loop));
	loop->signals = -1;
	loop->input = input;
	loop->more = loop->output = -1;
	sigprocmask(SIG_BLOCK, NULL, &loop->blocked);
	loop->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	err = loop->timer < 0 ? -errno : open_signals(loop);
	if (!err)
		err = event_loop_set(loop, interval_s);
	if (err)
		event_loop_close(loop);
	return err;
}

int event_loop_set(struct event_loop *loop, double interval_s)
{
	struct itimerspec spec = { 0 };
	int64_t ns = seconds_to_ns(interval_s);

	if (interval_s > 0) {
		/* all zero would disarm the timer */
		spec.it_interval = ns_to_timespec(ns ? ns : 1);
		spec.it_value = spec.it_interval;
	}
	return timerfd_settime(loop->timer, 0, &spec, NULL) < 0 ? -errno : 0;
}

/* 1 = got a signal, 0 = none pending */
static int read_signal(struct event_loop *loop, int *signal)
{
	struct signalfd_siginfo info;

	if (read(loop->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (signal)
		*signal = (int)info.ssi_signo;
	return 1;
}

/* 1 = the timer has expired, 0 = not yet */
static int read_timer(struct event_loop *loop)
{
	uint64_t passed;

	if (read(loop->timer, &passed, sizeof(passed)) != sizeof(passed) || !passed)
		return 0;
	loop->missed += passed - 1;
	return 1;
}

enum { POLL_SIGNALS, POLL_TIMER, POLL_INPUT, POLL_MORE, POLL_OUTPUT, POLL_FDS };

/* The most urgent event of the ready fds; 0, or -EAGAIN when there is none. */
static int next_event(struct event_loop *loop, const struct pollfd *fds, enum loop_event *what,
		      int *signal)
{
	const short gone = POLLHUP | POLLERR | POLLNVAL;

	if (fds[POLL_SIGNALS].revents && read_signal(loop, signal))
		*what = LOOP_SIGNAL;
	else if (fds[POLL_OUTPUT].revents & gone)
		*what = LOOP_CLOSED;
	else if (fds[POLL_INPUT].revents & gone)
		*what = LOOP_HANGUP;
	else if (fds[POLL_INPUT].revents & POLLIN)
		*what = LOOP_INPUT;
	else if (fds[POLL_TIMER].revents && read_timer(loop))
		*what = LOOP_INTERVAL;
	else if (fds[POLL_MORE].revents)
		*what = LOOP_MORE;
	else if (fds[POLL_OUTPUT].revents & POLLOUT)
		*what = LOOP_ROOM;
	else
		return -EAGAIN;
	return 0;
}

int event_loop_wait(struct event_loop *loop, int timeout_ms, enum loop_event *what, int *signal)
{
	const bool room = loop->want_room;
	struct pollfd fds[POLL_FDS] = {
		[POLL_SIGNALS] = { .fd = loop->signals, .events = POLLIN },
		[POLL_TIMER] = { .fd = room ? -1 : loop->timer, .events = POLLIN },
		[POLL_INPUT] = { .fd = room ? -1 : loop->input, .events = POLLIN },
		[POLL_MORE] = { .fd = room ? -1 : loop->more, .events = POLLIN },
		[POLL_OUTPUT] = { .fd = loop->output, .events = room ? POLLOUT : 0 },
	};
	uint64_t end = clock_ns() + timeout_ms * NSEC_PER_MSEC, now;

	for (;;) {
		int n = loop->poll ? loop->poll(loop->ctx, fds, POLL_FDS, timeout_ms)
				   : poll(fds, POLL_FDS, timeout_ms);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && !next_event(loop, fds, what, signal))
			return 0;
		if (timeout_ms < 0)
			continue;
		now = clock_ns();
		if (now >= end)
			return -EAGAIN;
		/* Rounded up: poll() must not return before the end. */
		timeout_ms = (int)((end - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
	}
}

bool event_loop_ends(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t pending;

	if (sigpending(&pending))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigismember(&pending, ends[i]))
			return true;
	return false;
}

void event_loop_close(struct event_loop *loop)
{
	int signal;

	/* Drained: a pending signal would kill the process when unblocked. */
	while (loop->signals >= 0 && read_signal(loop, &signal))
		;
	if (loop->timer >= 0)
		close(loop->timer);
	if (loop->signals >= 0)
		close(loop->signals);
	loop->timer = -1;
	loop->signals = -1;
	sigprocmask(SIG_SETMASK, &loop->blocked, NULL);
}
