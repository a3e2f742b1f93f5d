/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why something failed, for the user: a line with name, cause and remedy. The function that fails
 * sets it and returns -errno. Whoever gives up prints it.
 */
#pragma once

#include "base/exit_code.h"

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
