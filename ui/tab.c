// SPDX-License-Identifier: GPL-2.0-or-later
/* What Tab goes through: the views; those that list things have a pane of their own. */
#include "pane.h"

static const struct pane *tab_pane(int tab)
{
	switch (views[tab].rows) {
	case ROWS_EVENTS:
		return &pane_events;
	case ROWS_FINDINGS:
		return &pane_findings;
	default:
		return &pane_table;
	}
}

int tab_count(void)
{
	return VIEW_COUNT;
}

const char *tab_name(int tab)
{
	return views[tab].name;
}

const char *tab_help(int tab)
{
	return views[tab].help;
}

void tab_set(struct screen *s, int tab)
{
	s->tab = tab;
	s->depth = 0;
	s->drill = 0;
	s->stack[0] = tab_pane(tab);
	if (s->stack[0] == &pane_table)
		s->view = (enum view_id)tab;
	screen_rebuild(s);
}
