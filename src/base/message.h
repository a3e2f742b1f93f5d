/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xdptop says on stderr, except libbpf's own messages (src/tracing/backend.c). While the
 * screen is shown, it says it with screen_say() instead.
 */
#pragma once

/*
 * Prints a line, after "xdptop: ". File names, arguments and other quoted text are made printable
 * (src/base/sanitize.h).
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes over the line with what is being done; percent < 0 clears it. For a terminal only. */
void message_progress(const char *what, int percent);
