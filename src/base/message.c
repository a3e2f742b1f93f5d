// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/message.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/sanitize.h"

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
