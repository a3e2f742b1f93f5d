/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One flat JSON object per line, flushed at its end, because readers of the pipe wait for lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool started;
};

void json_begin(struct json *json, FILE *out, const char *type);
/* @s must be valid UTF-8; use json_bytes() for anything else. */
void json_string(struct json *json, const char *key, const char *s);
/* As hexadecimal digits. */
void json_bytes(struct json *json, const char *key, const void *data, size_t len);
void json_number(struct json *json, const char *key, int64_t n);
void json_fraction(struct json *json, const char *key, double n);
void json_null(struct json *json, const char *key);
void json_end(struct json *json);
