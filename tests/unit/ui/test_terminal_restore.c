// SPDX-License-Identifier: GPL-2.0-or-later
/* A late signal does not change how the program ends. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include "ui/terminal.h"
#include "unit/test.h"

/* On a slow machine the alarm after ^C fires while it is blocked, before the end disarms it. */
static void end_with_late_alarm(void)
{
	const struct termios none = { 0 };

	terminal_restore_init(STDERR_FILENO, &none);
	terminal_restore_arm(true);
	terminal_restore_open(false);
	raise(SIGALRM);
	terminal_restore_arm(false);
	terminal_restore_open(true);
	_exit(7);
}

TEST(test_late_alarm)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		end_with_late_alarm();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}
