/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for json-c, which does not check all that it allocates. */
#ifndef XDPTOP_BASE_JSON_MEMORY_H
#define XDPTOP_BASE_JSON_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>

/* Bytes that the objects of one byte of text take at most, tried with json-c 0.16. */
#define JSON_MEMORY 100

/*
 * Whether there is memory for the objects of a text of len bytes. Ask before json-c parses it:
 * where an allocation fails, json_tokener_parse_ex() takes strlen() of NULL, or calls the text
 * invalid.
 */
static inline bool json_memory(size_t len)
{
	void *volatile memory = malloc(len * JSON_MEMORY);
	bool there = memory;

	free(memory);
	return there;
}

#endif
