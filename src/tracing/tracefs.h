/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints as tracefs shows them: their ids, and where the fields of their records lie. Only
 * reads: mounting it is left to the user.
 */
#ifndef XDPTOP_TRACEFS_H
#define XDPTOP_TRACEFS_H

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
 * The directory with events/, at either of its mount points: NULL and errno when it is at none
 * (ENOENT), or not for this user (EACCES).
 */
const char *tracefs_find(void);
/* Of an event ("xdp", "xdp_redirect"): 0; -ENOENT = not in this kernel; another -errno. */
int tracefs_read(struct tracefs_format *f, const char *tracefs, const char *group,
		 const char *event);
/* The fields of a `format` file's text; 0 or -EINVAL. */
int tracefs_parse(struct tracefs_format *f, const char *text);
/* NULL where the record has no such field. */
const struct tracefs_field *tracefs_field(const struct tracefs_format *f, const char *name);

#endif
