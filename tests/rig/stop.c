// SPDX-License-Identifier: GPL-2.0-or-later
#include "stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define LOOKS_MAX 600000 /* looks of at least 100 us: a minute, after which a wait fails */

static volatile sig_atomic_t stop;

static void stop_handle(int sig)
{
	(void)sig;
	stop = 1;
}

int stop_catch_signals(void)
{
	/* No SA_RESTART: a current read or test run must return. */
	struct sigaction action = { .sa_handler = stop_handle };
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], &action, NULL))
			return -errno;
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

int stop_with_parent(void)
{
	pid_t parent = getppid();

	if (prctl(PR_SET_PDEATHSIG, SIGTERM))
		return -errno;
	if (getppid() != parent)
		stop = 1; /* it had just ended */
	return 0;
}

int stop_wait(int fd, int ms)
{
	struct timespec timeout = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	sigset_t all, old;
	int n, err = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	n = stop ? 0 : ppoll(&poll, 1, ms < 0 ? NULL : &timeout, &old);
	if (n < 0)
		err = -errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (stop)
		return -EINTR;
	return err ? err : n;
}

int stop_look_again(unsigned int *looks)
{
	const struct timespec pause = { .tv_nsec = 100000 };

	if (stop_requested())
		return -EINTR;
	if (++*looks > LOOKS_MAX)
		return -ETIMEDOUT;
	nanosleep(&pause, NULL);
	return 0;
}

bool stop_requested(void)
{
	return stop;
}
