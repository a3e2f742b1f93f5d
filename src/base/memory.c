// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include "base/error.h"

/* Memory of the objects per byte of common texts, with json-c 0.16. [{},{},...] takes 264. */
#define JSON_MEMORY 100

static void say_missing(void)
{
	message("out of memory");
}

/* The handlers are called in reverse order, so this one is the last. */
void memory_begin(void)
{
	at_quick_exit(say_missing);
}

void memory_missing(void)
{
	quick_exit(EXIT_FAILED);
}

static void *there(void *memory)
{
	if (!memory)
		memory_missing();
	return memory;
}

void *memory_new(size_t n, size_t size)
{
	return there(calloc(n ?: 1, size));
}

void *memory_resize(void *old, size_t n, size_t size)
{
	return there(reallocarray(old, n ?: 1, size));
}

char *memory_text(const char *text)
{
	return there(strdup(text));
}

char *memory_text_part(const char *text, size_t len)
{
	return there(strndup(text, len));
}

void json_memory(size_t len)
{
	free(memory_resize(NULL, len, JSON_MEMORY));
}
