// SPDX-License-Identifier: GPL-2.0-or-later
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>

static volatile sig_atomic_t stop;

static void stop_handle(int sig)
{
	(void)sig;
	stop = 1;
}

int stop_catch_signals(void)
{
	/* No SA_RESTART: a read or a test run under way has to return. */
	struct sigaction action = { .sa_handler = stop_handle };
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], &action, NULL))
			return -errno;
	signal(SIGPIPE, SIG_IGN);
	return prctl(PR_SET_PDEATHSIG, SIGTERM) ? -errno : 0;
}

bool stop_requested(void)
{
	return stop;
}
