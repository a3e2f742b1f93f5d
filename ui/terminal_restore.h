/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restores the terminal where the main loop cannot: on a crash, without memory, and on a signal
 * during a write to a stuck terminal (stalled connection, ^S). No curses: the sequences are
 * collected beforehand.
 */
#pragma once

#include <stdbool.h>
#include <termios.h>

/* Sets the terminal and the modes to restore. Forgets the sequences. */
void terminal_restore_init(int fd, const struct termios *before);
/* Appends a terminfo string without its padding. Ignores NULL and (char *)-1. */
void terminal_restore_add(const char *sequence);
/* Installs or removes the handlers. */
void terminal_restore_arm(bool on);

/*
 * Unblocks SIGINT, SIGTERM, SIGHUP, SIGQUIT and its own SIGALRM, or blocks them again: open around
 * a write that may block. Such a signal ends the program if the terminal is stuck; else
 * terminal_restore_ended() returns true.
 */
void terminal_restore_open(bool open);
bool terminal_restore_ended(void);
