/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids and record formats of tracepoints from tracefs. Only reads it, never mounts it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct tracefs_field {
	char name[32];
	uint32_t offset, size;
};

#define TRACEFS_FIELDS 32

struct tracefs_format {
	uint64_t id; /* perf_event_attr.config */
	struct tracefs_field field[TRACEFS_FIELDS];
	size_t n;
};

/*
 * The mount point of tracefs. NULL and errno: ENOENT = not mounted at either place, EACCES = this
 * user may not read it.
 */
const char *tracefs_find(void);
/*
 * Read the format of an event ("xdp", "xdp_redirect"). 0; -ENOENT = not in this kernel; else
 * -errno.
 */
int tracefs_read(struct tracefs_format *f, const char *tracefs, const char *group,
		 const char *event);
/* Parse the text of a `format` file; 0 or -EINVAL. */
int tracefs_parse(struct tracefs_format *f, const char *text);
/* Find a field by name; NULL = the record has none. */
const struct tracefs_field *tracefs_field(const struct tracefs_format *f, const char *name);
