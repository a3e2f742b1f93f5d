// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
#include "terminal_restore.h"

/*
 * The writable globals: signal handlers are handed nothing. Filled before the handlers are set,
 * only `ended` is written while they are.
 */
static struct {
	int fd;
	struct termios before;
	char bytes[256];
	size_t length;
} saved;

static volatile sig_atomic_t ended;

static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* poll() may be called in a signal handler; POLLOUT means that most of the buffer is free. */
bool terminal_restore_stuck(int timeout_ms)
{
	struct pollfd p = { .fd = saved.fd, .events = POLLOUT };

	return poll(&p, 1, timeout_ms) < 1 || !(p.revents & POLLOUT);
}

/* Async-signal-safe calls only. What waits in a stuck terminal is dropped: it makes room. */
static void give_back(void)
{
	ssize_t n;

	if (terminal_restore_stuck(0))
		tcflush(saved.fd, TCOFLUSH);
	n = write(saved.fd, saved.bytes, saved.length);
	(void)n;
	tcsetattr(saved.fd, TCSANOW, &saved.before);
}

/* SA_RESETHAND makes the second raise() the real end. */
static void crash_handler(int signal)
{
	give_back();
	raise(signal);
}

/*
 * The write that it interrupts would be tried again for ever by curses. Nothing is left undone by
 * ending here: all that was attached goes with the process.
 */
static void end_handler(int signal)
{
	int err = errno;

	if (terminal_restore_stuck(0)) {
		give_back();
		_exit(0);
	}
	ended = 1;
	errno = err;
}

void terminal_restore_init(int fd, const struct termios *before)
{
	saved.fd = fd;
	saved.before = *before;
	saved.length = 0;
}

void terminal_restore_add(const char *sequence)
{
	if (!sequence || sequence == (const char *)-1)
		return;
	while (*sequence && saved.length < sizeof(saved.bytes)) {
		/* "$<20>": milliseconds that a terminal of 1978 needed. */
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
	/* A stack overflow needs a stack to be handled on. */
	static char stack[16384];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction crash = { .sa_handler = on ? crash_handler : SIG_DFL,
				   .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK };
	struct sigaction end = { .sa_handler = on ? end_handler : SIG_DFL }, now;

	sigemptyset(&crash.sa_mask);
	sigfillset(&end.sa_mask);
	if (on)
		sigaltstack(&alternate, NULL);
	for (size_t i = 0; i < COUNT(crashes); i++)
		sigaction(crashes[i], &crash, NULL);
	/* What the caller ignores (nohup) stays ignored. */
	for (size_t i = 0; i < COUNT(ends); i++)
		if (!sigaction(ends[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaction(ends[i], &end, NULL);
}

static void ends_mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(ends); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(how, &set, NULL);
}

void terminal_restore_enter(void)
{
	ends_mask(SIG_UNBLOCK);
}

void terminal_restore_leave(void)
{
	ends_mask(SIG_BLOCK);
}

bool terminal_restore_ended(void)
{
	return ended;
}
