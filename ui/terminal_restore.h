/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives the terminal back where the loop cannot: when the program crashes, and when a signal ends
 * it while it is stuck in a write to a terminal that takes no output (a stalled connection, ^S).
 * No curses: the sequences are collected beforehand.
 */
#ifndef XDPTOP_UI_TERMINAL_RESTORE_H
#define XDPTOP_UI_TERMINAL_RESTORE_H

#include <stdbool.h>
#include <termios.h>

/* The terminal, and its settings to go back to; forgets the sequences. */
void terminal_restore_init(int fd, const struct termios *before);
/* Append a terminfo string (NULL and (char *)-1 are none); its padding is left out. */
void terminal_restore_add(const char *sequence);
/* Guard from here on, or no longer. */
void terminal_restore_arm(bool on);

/*
 * Around writes that may block: meanwhile SIGINT, SIGTERM, SIGHUP and SIGQUIT, otherwise taken by
 * the loop, end the program at once if the terminal is stuck. If it is not,
 * terminal_restore_ended() tells that one came.
 */
void terminal_restore_enter(void);
void terminal_restore_leave(void);
bool terminal_restore_ended(void);

/* Whether the terminal takes no output within that time. */
bool terminal_restore_stuck(int timeout_ms);

#endif
