// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a settings file; the result is written and read again. */
#include <stdio.h>
#include <stdlib.h>
#include "ui/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *)data, size, "r") : NULL, *again;
	struct settings settings, same;
	struct options options;
	struct error error = { 0 };
	char *text = NULL;
	size_t length = 0;

	if (!file)
		return 0;
	options_default(&options);
	settings_init(&settings, &options);
	settings_read(&settings, file, &error);
	fclose(file);
	again = open_memstream(&text, &length);
	if (!again || settings_write(&settings, again) || fclose(again))
		abort();
	settings_init(&same, &options);
	again = length ? fmemopen(text, length, "r") : NULL;
	if (again) {
		settings_read(&same, again, &error);
		fclose(again);
		/* xdptop must accept what it wrote */
		if (error.text[0] || same.options.given != settings.options.given)
			abort();
	}
	free(text);
	return 0;
}
