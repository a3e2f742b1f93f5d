// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include "terminal_restore.h"

/*
 * The only writable globals, because signal handlers get no argument. All but `ended` and `armed`
 * are written before the handlers are installed.
 */
static struct {
	int fd;
	struct termios before;
	char bytes[256];
	size_t length;
	bool armed;
} saved;

static volatile sig_atomic_t ended;

static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* poll() is async-signal-safe; POLLOUT on a tty means that most of its buffer is free. */
static bool is_stuck(void)
{
	struct pollfd p = { .fd = saved.fd, .events = POLLOUT };

	return poll(&p, 1, 0) < 1 || !(p.revents & POLLOUT);
}

/* Async-signal-safe calls only. Drops pending output of a stuck terminal to make room. */
static void give_back(void)
{
	ssize_t n;

	if (is_stuck())
		tcflush(saved.fd, TCOFLUSH);
	n = write(saved.fd, saved.bytes, saved.length);
	(void)n;
	tcsetattr(saved.fd, TCSANOW, &saved.before);
}

/* SA_RESETHAND: raise() gets the default action. */
static void crash_handler(int signal)
{
	give_back();
	raise(signal);
}

/*
 * curses would retry the interrupted write forever. _exit() is safe, because the kernel detaches
 * all programs with the process.
 */
static void end_handler(int signal)
{
	int err = errno;

	if (is_stuck()) {
		give_back();
		_exit(0);
	}
	ended = 1;
	/* A write that begins after this check may still block, so check again. */
	alarm(1);
	errno = err;
}

/* When there is no memory: see base/memory.h. */
static void quick_exit_handler(void)
{
	if (saved.armed)
		give_back();
}

void terminal_restore_init(int fd, const struct termios *before)
{
	at_quick_exit(quick_exit_handler);
	saved.fd = fd;
	saved.before = *before;
	saved.length = 0;
}

void terminal_restore_add(const char *sequence)
{
	if (!sequence || sequence == (const char *)-1)
		return;
	while (*sequence && saved.length < sizeof(saved.bytes)) {
		/* "$<20>": padding in ms, for terminals of the 1970s. */
		if (sequence[0] == '$' && sequence[1] == '<') {
			while (*sequence && *sequence != '>')
				sequence++;
			if (*sequence)
				sequence++;
			continue;
		}
		saved.bytes[saved.length++] = *sequence++;
	}
}

void terminal_restore_arm(bool on)
{
	/* The handler of a stack overflow needs another stack. */
	static char stack[16384];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction crash = { .sa_handler = on ? crash_handler : SIG_DFL,
				   .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK };
	struct sigaction end = { .sa_handler = on ? end_handler : SIG_DFL }, now;

	saved.armed = on;
	alarm(0);
	sigemptyset(&crash.sa_mask);
	sigfillset(&end.sa_mask);
	if (on)
		sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < COUNT(crashes); i++)
		sigaction(crashes[i], &crash, NULL);
	/* Signals that the caller ignores (nohup) stay ignored. */
	for (size_t i = 0; i < COUNT(ends); i++)
		if (!sigaction(ends[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(ends[i], &end, NULL);
	/* discard a pending SIGALRM, which would end the program */
	if (!on) {
		signal(SIGALRM, SIG_IGN);
		signal(SIGALRM, SIG_DFL);
	}
}

void terminal_restore_open(bool open)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(ends); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(open ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

bool terminal_restore_ended(void)
{
	return ended;
}
