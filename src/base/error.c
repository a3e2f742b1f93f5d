// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <limits.h>
#include <string.h>
#include "base/sanitize.h"

int error_set(struct error *error, int err, const char *format, ...)
{
	va_list args;

	if (!error)
		return err;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return err;
}

const char *error_text(const struct error *error)
{
	return error->text[0] ? error->text : "failed without a reason";
}

int error_print(const struct error *error)
{
	message("%s", error_text(error));
	return error->exit_code ? error->exit_code : EXIT_FAILED;
}

void message(const char *format, ...)
{
	char raw[PATH_MAX + 512], text[4 * sizeof(raw)];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	sanitize_keep_escapes(text, sizeof(text), raw, sizeof(raw));
	fprintf(stderr, "xdptop: %s\n", text);
}

void message_progress(const char *what, int percent)
{
	char text[4 * PATH_MAX];

	sanitize_keep_escapes(text, sizeof(text), what, strlen(what));
	if (percent < 0)
		fputs("\r\33[K", stderr);
	else
		fprintf(stderr, "\rxdptop: %s: read %d%%, ^C stops ", text, percent);
}
