/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why something failed, for the user: a line with name, cause and remedy. The function that fails
 * sets it and returns -errno. Whoever gives up prints it.
 */
#pragma once

struct error {
	int exit_code; /* 0 = EXIT_FAILED */
	char text[512];
};

/* Set the message. Returns err. error may be NULL. */
int error_set(struct error *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
const char *error_text(const struct error *error);
/* Print it on stderr. Returns the exit code. */
int error_print(const struct error *error);

/*
 * What xdptop says on stderr, except libbpf's own messages (src/tracing/backend.c). While the
 * screen is shown, it says it with screen_say() instead. Prints a line, after "xdptop: ". File
 * names, arguments and other quoted text are made printable (src/base/sanitize.h).
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes over the line with what is being done; percent < 0 clears it. For a terminal only. */
void message_progress(const char *what, int percent);

/* Exit codes: an interface to scripts, see the manual page. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,        /* while running */
	EXIT_USAGE = 2,         /* the command line */
	EXIT_PRIVILEGE = 3,     /* a capability is missing */
	EXIT_NO_TRACEPOINT = 4, /* no requested tracepoint could be attached */
	EXIT_FILE = 5,          /* an output or input file */
	EXIT_FINDINGS = 6,      /* --check or --diff found something */
};
