/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON Lines as records, one after the other: what src/output/out_json.c wrote, read back. */
#ifndef XDPTOP_RECORD_READER_H
#define XDPTOP_RECORD_READER_H

#include "recording/json_line.h"
#include "recording/line_reader.h"
#include "schema/record.h"

struct record_reader {
	struct line_reader lines;
	struct json_line line;
	char other[TP_OTHERS][48]; /* names that got the ids from TP_OTHER on */
	struct record record;      /* the one read last */
	char why[160];             /* what is wrong with the line read last */
};

/* fd is not owned. */
void record_reader_init(struct record_reader *r, int fd);
/*
 * 0 = r->record is the next one; 1 = there is none any more; -EAGAIN = nothing to read now;
 * -EBADMSG = line r->lines.number is none, r->why says why: go on with the next; else -errno.
 * Objects of unknown types and a last line that was cut are passed over.
 */
int record_reader_next(struct record_reader *r);
/* The type of the record read last. */
enum record_type record_reader_type(const struct record_reader *r);
/* The next line is the first one again: its fd has been set there. */
void record_reader_rewind(struct record_reader *r);
void record_reader_free(struct record_reader *r);

#endif
