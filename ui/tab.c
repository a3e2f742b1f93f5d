// SPDX-License-Identifier: GPL-2.0-or-later
/* What Tab goes through: the views, then the lists that are no tables. */
#include "pane.h"

static const struct {
	const char *name, *help;
	const struct pane *pane;
} lists[] = {
	{ "events", "rare events with their text, newest first: failed attach, queue memory",
	  &pane_events },
	{ "findings", "causes that the counts point to, with evidence and next commands",
	  &pane_findings },
};

#define LISTS (int)(sizeof(lists) / sizeof(lists[0]))

int tab_count(void)
{
	return VIEW_COUNT + LISTS;
}

const char *tab_name(int tab)
{
	return tab < VIEW_COUNT ? views[tab].name : lists[tab - VIEW_COUNT].name;
}

const char *tab_help(int tab)
{
	return tab < VIEW_COUNT ? views[tab].help : lists[tab - VIEW_COUNT].help;
}

void tab_set(struct screen *s, int tab)
{
	s->tab = tab;
	s->depth = 0;
	s->drill = 0;
	if (tab < VIEW_COUNT) {
		s->view = (enum view_id)tab;
		s->stack[0] = &pane_table;
	} else {
		s->stack[0] = lists[tab - VIEW_COUNT].pane;
	}
	screen_rebuild(s);
}
