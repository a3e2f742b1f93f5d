/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each field of a recording's objects means: doc/recording.md and xdptop -e FIELD print it. */
#pragma once

#include "schema/record.h"

struct field_help {
	const char *object; /* NULL = all objects without a row of their own */
	const char *name;   /* "_per_s" = all fields that end so and have no row */
	const char *kind;   /* unit, and whether it can be null: "in s or null" */
	const char *text;   /* without a final full stop; names and commands in backticks */
};

/* NULL = end. */
const struct field_help *field_help_at(size_t i);
/* The closest row: an object's own before that of all, a field's own before its ending's. */
const struct field_help *field_help_find(const struct record_object *object,
					 const struct record_field *field);
/* "integer in bytes or null" */
void field_help_kind(const struct field_help *help, const struct record_field *field, char *buf,
		     size_t size);
