// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/timeline.h"

#include "base/clock.h"
#include "base/format.h"

int timeline_gaps_text(const struct timeline *t, char *buf, size_t size)
{
	struct timespec unread = ns_to_timespec(t->unread_ns);
	struct format_text text = { .buf = buf, .size = size };
	char when[24];

	buf[0] = '\0';
	format_date(when, sizeof(when), &unread);
	if (!t->complete)
		format_add(&text, "not read: %s%s", t->unread_ns ? "before " : "the rest",
			   t->unread_ns ? when : "");
	if (t->damaged)
		format_add(&text, "%s%zu damaged file%s",
			   t->complete ? "not read: the rest of " : ", ", t->damaged,
			   t->damaged == 1 ? "" : "s");
	if (t->bad_lines)
		format_add(&text, "%s%zu damaged line%s", *buf ? ", " : "not read: ", t->bad_lines,
			   t->bad_lines == 1 ? "" : "s");
	if (t->left_out)
		format_add(&text, "%s%zu more incidents",
			   *buf ? ", " : "not listed: ", t->left_out);
	return (int)text.len;
}
