// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/json_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>
#include "base/sanitize.h"

/* yajl's callbacks return 0 to stop. */

static struct record_value *next_value(struct json_line *j)
{
	const char *name = j->name;
	struct json_pair *pair;

	j->name = NULL;
	/* a value by itself, or inside of another one */
	if (j->depth == 0)
		j->object = false;
	if (j->depth != 1 || !name || j->n == JSON_LINE_PAIRS)
		return NULL;
	pair = &j->pair[j->n++];
	pair->name = name;
	pair->value.type = VALUE_NULL;
	return &pair->value;
}

static int on_null(void *ctx)
{
	next_value(ctx);
	return 1;
}

static int on_bool(void *ctx, int value)
{
	struct json_line *j = ctx;

	/* no field is one: as if it were not there */
	if (next_value(j))
		j->n--;
	return 1;
}

/* LC_NUMERIC is never set: the decimal point is a point. */
static int on_number(void *ctx, const char *digits, size_t len)
{
	struct record_value *v = next_value(ctx);
	char text[RECORD_NUMBER_LEN], *end;
	bool whole;

	if (!v)
		return 1;
	if (len >= sizeof(text))
		return 0;
	memcpy(text, digits, len);
	text[len] = '\0';
	whole = !strpbrk(text, ".eE");
	errno = 0;
	if (whole && text[0] == '-') {
		v->type = VALUE_INTEGER;
		v->integer = strtoll(text, &end, 10);
	} else if (whole) {
		v->type = VALUE_COUNT;
		v->count = strtoull(text, &end, 10);
	} else {
		v->type = VALUE_REAL;
		v->real = strtod(text, &end);
	}
	return !errno && !*end;
}

/* A copy in j->text, which has room for all of the line's. */
static const char *keep(struct json_line *j, const unsigned char *text, size_t len)
{
	char *copy = j->text + j->text_used;

	j->text_used += 1 + (size_t)sanitize_keep_escapes(copy, j->text_size - j->text_used,
							  (const char *)text, len);
	return copy;
}

static int on_text(void *ctx, const unsigned char *text, size_t len)
{
	struct json_line *j = ctx;
	struct record_value *v = next_value(j);

	if (v) {
		v->type = VALUE_TEXT;
		v->text = keep(j, text, len);
	}
	return 1;
}

static int on_name(void *ctx, const unsigned char *text, size_t len)
{
	struct json_line *j = ctx;
	char *copy = j->text + j->text_used;

	j->name = NULL;
	/* it is compared, never shown; with a NUL in it, it would pass for another one */
	if (j->depth != 1 || memchr(text, '\0', len))
		return 1;
	memcpy(copy, text, len);
	copy[len] = '\0';
	j->text_used += len + 1;
	j->name = copy;
	return 1;
}

static int on_open(void *ctx)
{
	struct json_line *j = ctx;

	j->name = NULL;
	j->depth++;
	return 1;
}

static int on_open_map(void *ctx)
{
	struct json_line *j = ctx;

	j->object |= j->depth == 0;
	return on_open(ctx);
}

static int on_close(void *ctx)
{
	struct json_line *j = ctx;

	j->depth--;
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_bool,
	.yajl_number = on_number,
	.yajl_string = on_text,
	.yajl_start_map = on_open_map,
	.yajl_map_key = on_name,
	.yajl_end_map = on_close,
	.yajl_start_array = on_open,
	.yajl_end_array = on_close,
};

static int reserve(struct json_line *j, size_t len)
{
	/* each byte at most as \xNN, and each of the texts between them needs a NUL */
	size_t size = 5 * len + 1;
	char *text;

	j->n = 0;
	j->text_used = 0;
	j->depth = 0;
	j->name = NULL;
	j->object = false;
	if (size <= j->text_size)
		return 0;
	text = realloc(j->text, size);
	if (!text)
		return -ENOMEM;
	j->text = text;
	j->text_size = size;
	return 0;
}

int json_line_parse(struct json_line *j, const char *line, size_t len, char *why, size_t size)
{
	const unsigned char *text = (const unsigned char *)line;
	yajl_handle handle;
	yajl_status status;

	if (reserve(j, len))
		return -ENOMEM;
	handle = yajl_alloc(&callbacks, NULL, j);
	if (!handle)
		return -ENOMEM;
	status = yajl_parse(handle, text, len);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(handle);
	why[0] = '\0';
	if (status == yajl_status_error) {
		unsigned char *message = yajl_get_error(handle, 0, text, len);

		size_t end = strcspn((char *)message, "\n");

		/* "lexical error: ...\n", some with a full stop */
		if (end && message[end - 1] == '.')
			end--;
		snprintf(why, size, "%.*s", (int)end, message);
		yajl_free_error(handle, message);
	} else if (status != yajl_status_ok) {
		snprintf(why, size, "a number is out of range");
	} else if (!j->object) {
		snprintf(why, size, "it is no JSON object");
	}
	yajl_free(handle);
	return why[0] ? -EINVAL : 0;
}

void json_line_free(struct json_line *j)
{
	free(j->text);
	memset(j, 0, sizeof(*j));
}

const struct record_value *json_line_find(const struct json_line *j, const char *name)
{
	size_t i;

	for (i = 0; i < j->n; i++) {
		if (!strcmp(j->pair[i].name, name))
			return &j->pair[i].value;
	}
	return NULL;
}
