// SPDX-License-Identifier: GPL-2.0-or-later
/* What a wait reports, and in which order. Nothing here measures time. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/event_loop.h"
#include "unit/test.h"

static enum loop_event wait_for(struct event_loop *t, int *sig)
{
	enum loop_event what = LOOP_INTERVAL;

	alarm(60); /* the event never comes */
	assert_int_equal(event_loop_wait(t, -1, &what, sig), 0);
	alarm(0);
	return what;
}

TEST(test_interval)
{
	struct event_loop t;
	enum loop_event what;

	assert_int_equal(event_loop_open(&t, 0.01, -1), 0);
	assert_int_equal(wait_for(&t, NULL), LOOP_INTERVAL);
	assert_int_equal(wait_for(&t, NULL), LOOP_INTERVAL);
	/* far in the future */
	assert_int_equal(event_loop_set(&t, 3600), 0);
	assert_int_equal(event_loop_wait(&t, 0, &what, NULL), -EAGAIN);
	assert_int_equal(event_loop_wait(&t, 5, &what, NULL), -EAGAIN);
	/* no timer */
	assert_int_equal(event_loop_set(&t, 0), 0);
	assert_int_equal(event_loop_wait(&t, 5, &what, NULL), -EAGAIN);
	assert_int_equal(event_loop_set(&t, 0.001), 0);
	assert_int_equal(wait_for(&t, NULL), LOOP_INTERVAL);
	event_loop_close(&t);
}

/* Deadlines that passed between two waits are one event. */
TEST(test_missed)
{
	struct event_loop t;

	assert_int_equal(event_loop_open(&t, 0.001, -1), 0);
	do {
		usleep(5000);
		assert_int_equal(wait_for(&t, NULL), LOOP_INTERVAL);
	} while (!t.missed);
	event_loop_close(&t);
}

TEST(test_signals)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT
	};
	struct event_loop t;
	sigset_t before, after;
	int sig;

	sigprocmask(SIG_BLOCK, NULL, &before);
	assert_int_equal(event_loop_open(&t, 0, -1), 0);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sig = 0;
		raise(signals[i]);
		assert_int_equal(wait_for(&t, &sig), LOOP_SIGNAL);
		assert_int_equal(sig, signals[i]);
	}
	/* a signal that was not read must not kill the program when the mask is restored */
	raise(SIGTERM);
	event_loop_close(&t);
	sigprocmask(SIG_BLOCK, NULL, &after);
	assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
	/* EPIPE instead of a signal */
	raise(SIGPIPE);
}

TEST(test_ignored)
{
	struct event_loop t;
	enum loop_event what;
	int sig;

	signal(SIGHUP, SIG_IGN);
	assert_int_equal(event_loop_open(&t, 0, -1), 0);
	raise(SIGHUP);
	assert_int_equal(event_loop_wait(&t, 0, &what, &sig), -EAGAIN);
	event_loop_close(&t);
	signal(SIGHUP, SIG_DFL);
}

TEST(test_input)
{
	struct event_loop t;
	enum loop_event what;
	int fds[2];
	char byte;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(event_loop_open(&t, 0, fds[0]), 0);
	assert_int_equal(event_loop_wait(&t, 0, &what, NULL), -EAGAIN);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(wait_for(&t, NULL), LOOP_INPUT);
	/* a signal comes first, a key after it */
	raise(SIGWINCH);
	assert_int_equal(wait_for(&t, NULL), LOOP_SIGNAL);
	assert_int_equal(wait_for(&t, NULL), LOOP_INPUT);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(event_loop_wait(&t, 0, &what, NULL), -EAGAIN);
	close(fds[1]);
	assert_int_equal(wait_for(&t, NULL), LOOP_HANGUP);
	t.input = -1;
	assert_int_equal(event_loop_wait(&t, 0, &what, NULL), -EAGAIN);
	event_loop_close(&t);
	close(fds[0]);
}

TEST(test_more)
{
	struct event_loop t;
	enum loop_event what;
	int keys[2], fds[2];

	assert_int_equal(pipe(keys), 0);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(event_loop_open(&t, 0, keys[0]), 0);
	t.more = fds[0];
	assert_int_equal(event_loop_wait(&t, 0, &what, NULL), -EAGAIN);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(wait_for(&t, NULL), LOOP_MORE);
	/* keys come first */
	assert_int_equal(write(keys[1], "x", 1), 1);
	assert_int_equal(wait_for(&t, NULL), LOOP_INPUT);
	t.input = -1;
	close(fds[1]);
	assert_int_equal(wait_for(&t, NULL), LOOP_MORE);
	t.more = -1;
	assert_int_equal(event_loop_wait(&t, 0, &what, NULL), -EAGAIN);
	event_loop_close(&t);
	close(fds[0]);
	close(keys[0]);
	close(keys[1]);
}

TEST(test_output)
{
	struct event_loop t;
	enum loop_event what;
	char block[4096] = { 0 };
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(event_loop_open(&t, 0, -1), 0);
	t.output = fds[1];
	/* not reported unless requested */
	assert_int_equal(event_loop_wait(&t, 0, &what, NULL), -EAGAIN);
	t.want_room = true;
	assert_int_equal(wait_for(&t, NULL), LOOP_ROOM);
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	while (write(fds[1], block, sizeof(block)) > 0)
		;
	assert_int_equal(event_loop_wait(&t, 0, &what, NULL), -EAGAIN);
	assert_int_equal(read(fds[0], block, sizeof(block)), sizeof(block));
	assert_int_equal(wait_for(&t, NULL), LOOP_ROOM);
	/* noticed without writing */
	t.want_room = false;
	close(fds[0]);
	assert_int_equal(wait_for(&t, NULL), LOOP_CLOSED);
	event_loop_close(&t);
	close(fds[1]);
}
