/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of JSON Lines: a flat object as pairs of name and value. */
#pragma once

#include <stddef.h>
#include "base/error.h"
#include "schema/record.h"

#define JSON_LINE_PAIRS 128 /* further pairs are ignored */

struct json_pair {
	const char *name;
	struct record_value value; /* text is printable */
};

struct json_line {
	struct json_pair pair[JSON_LINE_PAIRS];
	size_t n;
	char *text; /* memory of the values' texts */
	size_t text_size, text_used;
	struct json_tokener *tokener;
	struct json_object *tree; /* memory of the names */
};

/*
 * Parse a line; *j must be zeroed before its first use and is reused. Strict (RFC 8259), and
 * refuses texts with \u0000. Of members with the same name the last one counts. An array of texts
 * is VALUE_LINES; other arrays, objects and booleans are skipped. Takes up to 300 times the memory
 * of the line. 0; -EINVAL and *error if it is not one JSON object.
 */
int json_line_parse(struct json_line *j, const char *line, size_t len, struct error *error);
void json_line_free(struct json_line *j);
/* The value of this name, or NULL. */
const struct record_value *json_line_find(const struct json_line *j, const char *name);
/* The same of a text or of lines; "" = there is none. */
const char *json_line_text(const struct json_line *j, const char *name);
