/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the findings of a recording, the newest file first, without reading its counts. The order
 * of the files does not matter: each finding says when it began and how much it has counted since.
 */
#pragma once

#include "model/timeline.h"
#include "recording/segments.h"

struct timeline_reader {
	struct timeline timeline;
	struct cause_time *time; /* sorted by cause, run and begin */
	size_t n, cap;
	enum file_read { FILE_UNREAD, FILE_READ, FILE_DAMAGED } * done; /* of each file */
	size_t n_files, cap_files;
	size_t first, last; /* files of the time asked for */
	bool reading;       /* a file: */
	size_t at;
	uint64_t run;              /* of its last header, hashed */
	char newest[96];           /* the beginning of its last line */
	struct netns_names *netns; /* gets the names that it does not have */
	struct line_reader lines;
	struct json_line json;
};

/*
 * Reads for at most 50 ms. 0 = all files that have something from `from_ns` to `to_ns` were read;
 * -EAGAIN = call again. r->timeline has what was read so far. `again` reads the newest
 * file again, which may have grown.
 */
int timeline_read(struct timeline_reader *r, struct segments *files, int64_t from_ns, int64_t to_ns,
		  bool again);
void timeline_reader_free(struct timeline_reader *r);
