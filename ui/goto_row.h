/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a row to related rows. */
#pragma once

#include "screen.h"

/* A row whose CPUs are shown; `id` is that of the row in the unfiltered view. */
struct cpus_of {
	enum view_id view;
	uint64_t id;
	char name[128];
};

/*
 * Finds the row whose CPUs `c` shows: the selected row, or the row that the selected finding or
 * event is about. False = there is none; *why is the reason.
 */
bool cpus_find(const struct screen *s, struct cpus_of *of, const char **why);
/*
 * Builds all rows of a view in table order, without the filter; drill != 0: the CPUs of that row
 * instead. Returns as table_build() does.
 */
int rows_build(const struct screen *s, enum view_id view, uint64_t drill, struct table *t);
/*
 * Shows the object that changed in its view: map entry, CPU, device or program. False = it has no
 * row.
 */
bool change_goto(struct screen *s, const struct event *change);
