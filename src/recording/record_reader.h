/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records from JSON Lines, as src/output/out_json.c writes them. */
#pragma once

#include "recording/json_line.h"
#include "recording/line_reader.h"
#include "source/data_source.h"

struct record_reader {
	struct line_reader lines;
	struct json_line line;
	char other[TP_OTHERS][48];                  /* names of the ids from TP_OTHER on */
	struct record record;                       /* the last record */
	int source;                                 /* enum data_source_id of a RECORD_ROW */
	_Alignas(8) char row[RECORD_ROW_SIZE];      /* record.row */
	_Alignas(8) char interval[RECORD_ROW_SIZE]; /* record.row_before: the growth in the interval
						     */
	struct error error;                         /* what is wrong with the last line */
	bool damaged; /* compressed data could not be read to its end */
};

/* Does not own fd. */
void record_reader_init(struct record_reader *r, int fd);
/*
 * 0 = r->record is the next record; 1 = no more; -EAGAIN = no input now; -EBADMSG = line
 * r->lines.number is not a record, r->error says why, and the next call continues after it; else
 * -errno. Skips objects of unknown types and an incomplete last line.
 */
int record_reader_next(struct record_reader *r);
/* Start over at the start of a regular file, perhaps another one. lines.end_ns stays. */
void record_reader_start(struct record_reader *r, int fd);
void record_reader_free(struct record_reader *r);
