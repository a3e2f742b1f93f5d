// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/row_capture.h"

#include <errno.h>
#include <stdio.h>
#include "diagnose/location_text.h"
#include "source/verdicts.h"
#include "table/row_kind.h"

static void add_choice(struct capture_filter *f, const struct location *l, uint32_t prog_id)
{
	struct capture_program_choice *c = &f->choice[f->n++];

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
	const struct netdev *d;
	uint32_t prog_id[2];
	struct location l;
	int n = 0;

	f->n = 0;
	location_init(&l);
	if (!row->more && view->rows->locate)
		view->rows->locate(t, row, &l);
	else if (!row->more && row->n_series)
		location_set(&l, table_series(t, row), t->rates->to);
	if (!l.dev.ifindex && !l.prog_id) {
		snprintf(text, size,
			 "packets are of a device or a program: select a row of one, or "
			 "a finding about it");
		return -ENOENT;
	}
	location_text(l.dev.ifindex ? "{dev}" : "{prog}", &l, t->options.netns, text, size);
	d = l.dev.ifindex ? snapshot_find_netdev(t->rates->to, l.dev.netns, l.dev.ifindex) : NULL;
	n = d ? verdict_programs(d, prog_id) : 0;
	for (int i = 0; i < n; i++)
		add_choice(f, &l, prog_id[i]);
	if (!n && l.prog_id)
		add_choice(f, &l, l.prog_id);
	if (f->n)
		return 0;
	snprintf(text, size, "no XDP program is attached to it");
	return -ENOENT;
}
