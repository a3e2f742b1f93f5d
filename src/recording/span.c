// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/span.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/sanitize.h"

#define HALF_DAY 43200
#define SOME_DAY 4000000000 /* from which any step leads to a time */

/* Copies a time, or nothing. False = it is not a time. */
static bool copy_time(char to[SPAN_TEXT_LEN], const char *text, size_t len)
{
	struct timespec t = { .tv_sec = SOME_DAY };

	snprintf(to, SPAN_TEXT_LEN, "%.*s", (int)len, text);
	return !len || (len < SPAN_TEXT_LEN && time_text_parse(to, &t));
}

static int set_path(struct span *s, const char *arg, size_t len, struct error *error)
{
	error->exit_code = EXIT_FILE;
	if (len >= sizeof(s->path))
		return error_set(error, -ENAMETOOLONG, "%.200s: %s", arg, strerror(ENAMETOOLONG));
	memcpy(s->path, arg, len);
	s->path[len] = '\0';
	sanitize_text(s->shown, sizeof(s->shown), s->path, len);
	return 0;
}

int span_split(const char *arg, struct span *s, struct error *error)
{
	const char *at = strrchr(arg, '@'), *dots, *bad = NULL;
	int err;

	memset(s, 0, sizeof(*s));
	/* "a@b" can be a file, and "a@b/c" nothing else */
	if (!at || at == arg || strchr(at, '/') || !access(arg, F_OK))
		return set_path(s, arg, strlen(arg), error);
	err = set_path(s, arg, (size_t)(at - arg), error);
	if (err)
		return err;
	dots = strstr(++at, "..");
	s->given = true;
	s->range = dots;
	if (!copy_time(s->from, at, s->range ? (size_t)(dots - at) : strlen(at)) ||
	    (!s->range && !*at))
		bad = s->from;
	else if (s->range && !copy_time(s->to, dots + 2, strlen(dots + 2)))
		bad = s->to;
	if (!bad)
		return 0;
	error->exit_code = EXIT_USAGE;
	return error_set(error, -EINVAL,
			 "'%s' is not a time; give " TIME_TEXT_FORMS
			 " (+ is from the start of the recording, - from its end)",
			 bad);
}

bool span_needs_end(const struct span *s)
{
	return *s->from == '-' || *s->to == '-';
}

/* The same day as the start, unless that is much earlier: then the recording spans midnight. */
static void parse_nearest(const char *text, const struct timespec *first, struct timespec *t)
{
	*t = *first;
	time_text_parse(text, t);
	if (t->tv_sec < first->tv_sec - HALF_DAY)
		time_text_parse_near(text, first, true, t);
}

/* `after` NULL = there is no FROM. */
static int64_t resolve_time(const char *text, const struct span_bounds *b, const int64_t *after)
{
	struct timespec first = ns_to_timespec(b->first_ns), last = ns_to_timespec(b->last_ns), t;

	if (*text == '+' || *text == '-') {
		t = *text == '+' ? first : last;
		/* before 1970 is before all */
		if (!time_text_parse(text, &t))
			return *text == '-' ? 0 : INT64_MAX;
	} else if (after) {
		first = ns_to_timespec(*after);
		time_text_parse_near(text, &first, true, &t);
	} else if (b->to_now) {
		time_text_parse_near(text, &last, false, &t);
	} else {
		parse_nearest(text, &first, &t);
	}
	return timespec_to_ns(&t);
}

void span_resolve(const struct span *s, const struct span_bounds *bounds, int64_t *from_ns,
		  int64_t *to_ns)
{
	*from_ns = *s->from ? resolve_time(s->from, bounds, NULL) : INT64_MIN;
	*to_ns = *s->to ? resolve_time(s->to, bounds, *s->from ? from_ns : NULL) : INT64_MAX;
}
