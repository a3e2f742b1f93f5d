// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/json_line.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/sanitize.h"

#define DEPTH_MAX 32 /* nested objects and arrays */
#define SPACE     " \t\r\n"
#define DIGITS    "0123456789"

/* The end of a number, or s if there is none. errno = out of range. */
static const char *number_end(const char *s)
{
	const char *end = s + (*s == '-');
	size_t n = strspn(end, DIGITS);
	bool whole;

	if (!n || (*end == '0' && n > 1))
		return s;
	end += n;
	whole = *end != '.' && *end != 'e' && *end != 'E';
	if (*end == '.') {
		n = strspn(++end, DIGITS);
		end += n;
	}
	if (n && (*end == 'e' || *end == 'E')) {
		end += end[1] == '+' || end[1] == '-' ? 2 : 1;
		n = strspn(end, DIGITS);
		end += n;
	}
	if (!whole)
		strtod(s, NULL);
	else if (*s == '-')
		strtoll(s, NULL, 10);
	else
		strtoull(s, NULL, 10);
	return n ? end : s;
}

/* The end of a number, a word or a character of JSON; s if there is none. */
static const char *token_end(const char *s)
{
	static const char *const words[] = { "true", "false", "null" };

	if (strchr(SPACE "{}[]:,\"", *s))
		return s + 1;
	for (int i = 0; i < 3; i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return s + strlen(words[i]);
	return number_end(s);
}

/*
 * The first place where json-c would accept what JSON does not have, or change a value; else the
 * end of the line. json-c accepts comments, 'a', NaN, TRUE, 01, 1., {"a":1,}, and control
 * characters in texts. Its strict mode still accepts some of these, and in 0.18 refuses everything
 * that is not ASCII. It reads 2^64 as 2^64 - 1 (ERANGE here), and \u0000 as the end of a name.
 */
static const char *line_scan(const char *s)
{
	bool text = false;
	const char *end;
	char before = 0;

	for (errno = 0; *s; s = end) {
		if (text) {
			if ((unsigned char)*s < ' ' || (*s == '\\' && !strncmp(s, "\\u0000", 6)))
				break;
			end = s + (*s == '\\' && s[1] ? 2 : 1);
			text = *s != '"';
			continue;
		}
		end = token_end(s);
		if (end == s || errno || (before == ',' && (*s == '}' || *s == ']')))
			break;
		text = *s == '"';
		if (*s > ' ')
			before = *s;
	}
	return s;
}

static void take_text(struct json_line *j, struct json_object *from)
{
	j->text_used +=
		(size_t)sanitize_keep_escapes(j->text + j->text_used, j->text_size - j->text_used,
					      json_object_get_string(from),
					      (size_t)json_object_get_string_len(from));
}

/* An array of strings is the lines of a text. */
static bool take_lines(struct json_line *j, struct json_object *from, struct record_value *v)
{
	size_t n = json_object_array_length(from);

	for (size_t i = 0; i < n; i++)
		if (json_object_get_type(json_object_array_get_idx(from, i)) != json_type_string)
			return false;
	v->type = VALUE_LINES;
	v->text = j->text + j->text_used;
	j->text[j->text_used] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (i)
			j->text[j->text_used++] = '\n';
		take_text(j, json_object_array_get_idx(from, i));
	}
	j->text_used++;
	return true;
}

/* False = a type that fields cannot have. */
static bool take_value(struct json_line *j, struct json_object *from, struct record_value *v)
{
	switch (json_object_get_type(from)) {
	case json_type_null:
		v->type = VALUE_NULL;
		return true;
	case json_type_int:
		v->integer = json_object_get_int64(from);
		v->type = v->integer < 0 ? VALUE_INTEGER : VALUE_COUNT;
		if (v->type == VALUE_COUNT)
			v->count = json_object_get_uint64(from);
		return true;
	case json_type_double:
		v->type = VALUE_REAL;
		v->real = json_object_get_double(from);
		return true;
	case json_type_string:
		v->type = VALUE_TEXT;
		v->text = j->text + j->text_used;
		take_text(j, from);
		j->text_used++;
		return true;
	case json_type_array:
		return take_lines(j, from, v);
	default:
		return false;
	}
}

/* Room for a copy of the line, then for its texts: each byte as \xNN, and each quote as NUL. */
static void reserve(struct json_line *j, size_t len)
{
	size_t size = 4 * len + 1;

	if (!j->tokener) {
		j->tokener = json_tokener_new_ex(DEPTH_MAX);
		if (!j->tokener)
			memory_missing();
		json_tokener_set_flags(j->tokener, JSON_TOKENER_VALIDATE_UTF8);
	}
	if (size <= j->text_size)
		return;
	j->text = memory_resize(j->text, size, 1);
	j->text_size = size;
}

/* On an error *at is its offset. */
static enum json_tokener_error parse_tree(struct json_line *j, size_t len, size_t *at)
{
	enum json_tokener_error err;

	json_tokener_reset(j->tokener);
	j->tree = json_tokener_parse_ex(j->tokener, j->text, (int)len);
	*at = json_tokener_get_parse_end(j->tokener);
	err = json_tokener_get_error(j->tokener);
	return !err && *at < len ? json_tokener_error_parse_unexpected : err;
}

int json_line_parse(struct json_line *j, const char *line, size_t len, struct error *error)
{
	enum json_tokener_error err = json_tokener_error_parse_unexpected;
	size_t at;

	json_object_put(j->tree);
	j->tree = NULL;
	j->n = 0;
	j->text_used = 0;
	reserve(j, len);
	json_memory(len);
	memcpy(j->text, line, len);
	j->text[len] = '\0';
	at = (size_t)(line_scan(j->text) - j->text);
	if (j->text[strspn(j->text, SPACE)] != '{')
		return error_set(error, -EINVAL, "it is not a JSON object");
	if (errno)
		return error_set(error, -EINVAL, "a number is out of range");
	if (at == len)
		err = parse_tree(j, len, &at);
	if (err == json_tokener_continue)
		return error_set(error, -EINVAL, "it ends too early");
	if (err)
		return error_set(error, -EINVAL, "%s at byte %zu", json_tokener_error_desc(err),
				 at + 1);
	if (!j->tree)
		memory_missing();
	json_object_object_foreach (j->tree, name, value) {
		if (j->n == JSON_LINE_PAIRS)
			break;
		j->pair[j->n].name = name;
		j->n += take_value(j, value, &j->pair[j->n].value);
	}
	return 0;
}

void json_line_free(struct json_line *j)
{
	json_object_put(j->tree);
	if (j->tokener)
		json_tokener_free(j->tokener);
	free(j->text);
	memset(j, 0, sizeof(*j));
}

const struct record_value *json_line_find(const struct json_line *j, const char *name)
{
	size_t i;

	for (i = 0; i < j->n; i++) {
		/*
		 * most names differ in the first letter, and each line is searched for every field
		 */
		if (*j->pair[i].name == *name && !strcmp(j->pair[i].name, name))
			return &j->pair[i].value;
	}
	return NULL;
}

const char *json_line_text(const struct json_line *j, const char *name)
{
	const struct record_value *v = json_line_find(j, name);

	return v && (v->type == VALUE_TEXT || v->type == VALUE_LINES) ? v->text : "";
}
