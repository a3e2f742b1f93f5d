// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include "base/message.h"

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
