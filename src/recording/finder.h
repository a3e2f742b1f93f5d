/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches a recording for a snapshot without reading its rows: the one before a time, or the next
 * or previous one with a change or a new finding. A search back reads a frame at a time, and the
 * first snapshot of the frame after it, whose findings are new if the frame does not have them.
 */
#ifndef XDPTOP_FINDER_H
#define XDPTOP_FINDER_H

#include "model/source.h"
#include "recording/json_line.h"
#include "recording/line_reader.h"
#include "recording/segments.h"

#define FINDER_KNOWN 1024 /* findings; the oldest are forgotten */

struct finder {
	bool active; /* a search is under way, for these: */
	enum source_find what;
	int64_t from_ns;
	struct place at;
	struct line_reader lines;
	struct json_line json;
	bool more;                    /* there are frames after `at` */
	uint64_t run;                 /* of the header read last, hashed; 0 = none or unknown */
	char stamp[96];               /* seq and time as in the last line, to skip lines like it */
	uint64_t seq;                 /* of the snapshot being read */
	int64_t wall_ns;              /* its time */
	unsigned int snapshots;       /* since reading began at `at` */
	unsigned int later;           /* back: 0 in this frame, else 1 and the snapshots after it */
	int64_t found_ns;             /* INT64_MIN = nothing yet */
	uint64_t known[FINDER_KNOWN]; /* findings of the run, by hashes */
	size_t n_known;
};

/*
 * Search for at most 50 ms. 0 = *found_ns is the time of a snapshot; -EAGAIN = call
 * again with the same arguments; -ENOENT = there is none; -ENOMEM. Other arguments begin another
 * search.
 */
int finder_search(struct finder *f, struct segments *files, enum source_find what, int64_t from_ns,
		  int64_t *found_ns);
void finder_free(struct finder *f);

#endif
