/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording on the command line, and which part of it: PATH, PATH@TIME, PATH@FROM..TO. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

#define SPAN_TEXT_LEN 40

struct span {
	char path[PATH_MAX];
	char shown[PATH_MAX];                        /* path, printable */
	char from[SPAN_TEXT_LEN], to[SPAN_TEXT_LEN]; /* "" = its start, its end */
	bool given;                                  /* there is an @ with a time, or with dots */
	bool range;                                  /* with dots */
};

/* When a recording begins and ends: CLOCK_REALTIME, ns. */
struct span_bounds {
	int64_t first_ns, last_ns;
	bool to_now; /* it ends now or shortly before: times of day are the most recent */
};

/*
 * Split at the last @, unless the whole text names a file, or a slash follows. 0; -EINVAL and
 * *error (EXIT_USAGE) if a time cannot be parsed; -ENAMETOOLONG and *error.
 */
int span_split(const char *arg, struct span *s, struct error *error);
/* Whether a time counts from the end of the recording. */
bool span_needs_end(const struct span *s);
/*
 * The times in ns. "+TIME" counts from the start and "-TIME" from the end. A time of day is the
 * last one before the end with .to_now, else on the day of the start or the next. In TO it is the
 * first one after FROM. INT64_MIN and INT64_MAX if they are not given.
 */
void span_resolve(const struct span *s, const struct span_bounds *bounds, int64_t *from_ns,
		  int64_t *to_ns);
