/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for json-c, which does not check all that it allocates. */
#pragma once

#include <stdlib.h>
#include "base/memory.h"

/* Maximum memory of the objects per byte of text, measured with json-c 0.16. */
#define JSON_MEMORY 100

/*
 * Ends the program without memory for the objects of a text of len bytes. Call before json-c parses
 * it: if an allocation fails, json_tokener_parse_ex() calls strlen(NULL), or reports the text as
 * invalid.
 */
static inline void json_memory(size_t len)
{
	free(memory_resize(NULL, len, JSON_MEMORY));
}
