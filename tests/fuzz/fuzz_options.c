// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as a command line, split at newlines. */
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *argv[32] = { "xdptop" }, *word, *rest;
	struct error error = { 0 };
	struct options options;
	int argc = 1;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	for (rest = text; argc < 31 && (word = strsep(&rest, "\n"));)
		argv[argc++] = word;
	options_parse(&options, argc, argv, &error);
	free(text);
	return 0;
}
