/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for json-c, which does not check all that it allocates. */
#pragma once

#include <stdlib.h>
#include "base/memory.h"

/* Memory of the objects per byte of common texts, with json-c 0.16. [{},{},...] takes 264. */
#define JSON_MEMORY 100

/*
 * Ends the program if there is no memory for the objects of a JSON text of len bytes. Call before
 * json-c parses it: if an allocation fails, json_tokener_parse_ex() calls strlen(NULL), or reports
 * the text as invalid.
 */
static inline void json_memory(size_t len)
{
	free(memory_resize(NULL, len, JSON_MEMORY));
}
