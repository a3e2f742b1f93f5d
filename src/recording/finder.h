/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches a recording for the snapshot before a time, without reading its rows: a segment at a
 * time, the latest first.
 */
#pragma once

#include "recording/json_line.h"
#include "recording/line_reader.h"
#include "recording/segments.h"

struct finder {
	bool active; /* a search is under way, before: */
	int64_t before_ns;
	size_t at; /* segment */
	struct line_reader lines;
	struct json_line json;
	char stamp[96];   /* seq and time as in the last line, to skip lines like it */
	int64_t found_ns; /* INT64_MIN = nothing yet */
	bool beyond;      /* the segment has a snapshot that is not before that time */
};

/*
 * Search for at most 50 ms. 0 = *found_ns is the time of a snapshot; -EAGAIN = call again with the
 * same time; -ENOENT = there is none. Another time begins another search.
 */
int finder_search(struct finder *f, struct segments *files, int64_t before_ns, int64_t *found_ns);
void finder_free(struct finder *f);
