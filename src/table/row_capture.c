// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/row_capture.h"

#include <errno.h>
#include <stdio.h>
#include "diagnose/location_text.h"
#include "source/verdicts.h"

/* Not of a program that cannot be traced: `text` says why. */
static void add_choice(struct capture_filter *f, const struct location *l,
		       const struct snapshot *at, uint32_t prog_id, char *text, size_t size)
{
	const struct program *p = program_find(at, prog_id);
	struct capture_program_choice *c = &f->choice[f->n];

	if (p && p->verdicts == PROGRAM_VERDICTS_REFUSED) {
		snprintf(text, size, "%s (id %u) cannot be traced: %s", p->prog_name, prog_id,
			 p->verdicts_reason);
		return;
	}
	f->n++;
	*c = (struct capture_program_choice){ .prog_id = prog_id };
	if (!l->dev.ifindex)
		return;
	c->words.value[CAPTURE_NETNS] = l->dev.netns | (uint64_t)l->dev.ifindex << 32;
	c->words.mask[CAPTURE_NETNS] = UINT64_MAX;
}

int row_capture(const struct table *t, const struct row *row, struct capture_filter *f, char *text,
		size_t size)
{
	const struct view *view = t->options.view;
	const struct snapshot *at = t->rates->to;
	char what[192] = "no XDP program is attached to it";
	const struct netdev *d;
	uint32_t prog_id[2];
	struct location l;
	int n = 0;

	f->n = 0;
	location_init(&l);
	if (!row->more && view->rows->locate)
		view->rows->locate(t, row, &l);
	else if (!row->more && row->n_series)
		location_set(&l, table_series(t, row), at);
	if (!l.dev.ifindex && !l.prog_id) {
		snprintf(text, size,
			 "packets are of a device or a program: select a row of one, or "
			 "a finding about it");
		return -ENOENT;
	}
	d = l.dev.ifindex ? snapshot_find_netdev(at, l.dev.netns, l.dev.ifindex) : NULL;
	n = d ? verdict_programs(d, prog_id) : 0;
	for (int i = 0; i < n; i++)
		add_choice(f, &l, at, prog_id[i], what, sizeof(what));
	if (!n && l.prog_id)
		add_choice(f, &l, at, l.prog_id, what, sizeof(what));
	if (f->n)
		location_text(l.dev.ifindex ? "{dev}" : "{prog}", &l, t->options.netns, what,
			      sizeof(what));
	snprintf(text, size, "%s", what);
	return f->n ? 0 : -ENOENT;
}
