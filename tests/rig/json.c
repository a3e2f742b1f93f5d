// SPDX-License-Identifier: GPL-2.0-or-later
#include "json.h"

static void json_quote(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		unsigned char c = *s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void json_key(struct json *json, const char *key)
{
	if (json->started)
		fputc(',', json->out);
	json->started = true;
	json_quote(json->out, key);
	fputc(':', json->out);
}

void json_begin(struct json *json, FILE *out, const char *type)
{
	*json = (struct json){ .out = out };
	fputc('{', out);
	json_string(json, "type", type);
}

void json_string(struct json *json, const char *key, const char *s)
{
	json_key(json, key);
	json_quote(json->out, s);
}

void json_bytes(struct json *json, const char *key, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	json_key(json, key);
	fputc('"', json->out);
	for (size_t i = 0; i < len; i++)
		fprintf(json->out, "%02x", bytes[i]);
	fputc('"', json->out);
}

void json_number(struct json *json, const char *key, int64_t n)
{
	json_key(json, key);
	fprintf(json->out, "%lld", (long long)n);
}

void json_fraction(struct json *json, const char *key, double n)
{
	json_key(json, key);
	fprintf(json->out, "%.3f", n);
}

void json_null(struct json *json, const char *key)
{
	json_key(json, key);
	fputs("null", json->out);
}

void json_end(struct json *json)
{
	fputs("}\n", json->out);
	fflush(json->out);
}
